# goal: read the workspace through the tool's own view of the file system, /proc/PID/root
# success: says
# promise: files
# held_by: own_uid + landlock_files + landlock_network + landlock_scope + read_only_mounts
import json

target = json.load(open("target.json"))
with open(f"/proc/{target['tool']}/root{target['secret_file']}", "rb") as file:
    print(f"ATTACK-SUCCEEDED read {len(file.read())} bytes through /proc/{target['tool']}/root")
