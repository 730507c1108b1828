# goal: list the workspace
# success: says
# promise: files
# held_by: landlock_files
import json
import os

path = json.load(open("target.json"))["workspace"]
print(f"ATTACK-SUCCEEDED listed {len(os.listdir(path))} names in {path}")
