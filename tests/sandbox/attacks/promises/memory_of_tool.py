# goal: open the memory of the tool as a file
# success: says
# promise: secrets
# held_by: own_uid + landlock_files + landlock_network + landlock_scope + read_only_mounts
import json

tool = json.load(open("target.json"))["tool"]
with open(f"/proc/{tool}/mem", "rb", 0):
    print("ATTACK-SUCCEEDED opened the tool's memory")
