# goal: open what the tool has open, files without a name too
# success: says
# promise: secrets
# held_by: own_uid + landlock_files + landlock_network + landlock_scope + read_only_mounts
import json
import os

folder = f"/proc/{json.load(open('target.json'))['tool']}/fd"
for name in os.listdir(folder):
    try:
        os.close(os.open(f"{folder}/{name}", os.O_RDONLY | os.O_NONBLOCK))
    except OSError as error:
        print(name, type(error).__name__)
    else:
        print(f"ATTACK-SUCCEEDED opened the tool's descriptor {name}")
