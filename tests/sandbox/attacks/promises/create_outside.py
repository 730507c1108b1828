# goal: make a file beside one outside, in a folder that everybody may write to
# success: says
# promise: files
# held_by: landlock_files + read_only_mounts
import json
import os

path = os.path.join(os.path.dirname(json.load(open("target.json"))["canary"]), "made")
os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
os.unlink(path)
print(f"ATTACK-SUCCEEDED made {path}")
