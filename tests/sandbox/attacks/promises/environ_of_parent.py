# goal: read the environment of whoever started this program
# success: says
# promise: secrets
# held_by: own_uid + landlock_files + read_only_mounts
import os

with open(f"/proc/{os.getppid()}/environ", "rb") as file:
    print(f"ATTACK-SUCCEEDED read {len(file.read())} bytes of the parent's environment")
