# goal: put a file of our own in the place of the one that GITHUB_ENV names
# success: changes GITHUB_ENV
# held_by: landlock_files + read_only_mounts
import json
import os

path = json.load(open("target.json"))["commands"]["GITHUB_ENV"]
with open("mine", "w") as file:
    file.write("PATH=/tmp/evil\n")
os.rename("mine", path)
