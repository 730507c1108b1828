# goal: see what the tool has open, and open it, files without a name too
# success: says
# promise: secrets
# held_by: own_uid + landlock_files + landlock_network + landlock_scope
import json
import os

tool = json.load(open("target.json"))["tool"]
print(f"ATTACK-SUCCEEDED sees {len(os.listdir(f'/proc/{tool}/fd'))} open files of the tool")
