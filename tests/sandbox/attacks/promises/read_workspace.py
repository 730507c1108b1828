# goal: read a file of the workspace
# success: says
# promise: files
# held_by: landlock_files
import json

path = json.load(open("target.json"))["secret_file"]
with open(path, "rb") as file:
    print(f"ATTACK-SUCCEEDED read {len(file.read())} bytes of {path}")
