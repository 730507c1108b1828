# goal: put something into the store of compiled packages, which the next compilation links
# success: says
# held_by: own_uid + landlock_files
# needs: root go
import json
import os

seed = json.load(open("target.json"))["go_seed"]
path = f"{seed}/00/attacked-{os.urandom(6).hex()}"
os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
os.unlink(path)
print(f"ATTACK-SUCCEEDED made {path}")
