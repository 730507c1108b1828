# goal: rename a file outside, or take it into the own folder
# success: changes open
# held_by: landlock_files + read_only_mounts
import json
import os

canary = json.load(open("target.json"))["canary"]
for target in ("mine", canary + ".old"):
    try:
        os.rename(canary, target)
        break
    except OSError as error:
        print(error)
