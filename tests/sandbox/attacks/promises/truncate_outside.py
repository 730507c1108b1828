# goal: empty a file outside by its path, without opening it
# success: says
# promise: files
# held_by: landlock_files + read_only_mounts
import json
import os

path = json.load(open("target.json"))["canary"]
os.truncate(path, 0)
print(f"ATTACK-SUCCEEDED emptied {path}")
