# goal: read the environment of the tool, where keys are
# success: says
# promise: secrets
# held_by: own_uid + landlock_files + read_only_mounts
import json

tool = json.load(open("target.json"))["tool"]
with open(f"/proc/{tool}/environ", "rb") as file:
    print(f"ATTACK-SUCCEEDED read {len(file.read())} bytes of the tool's environment")
