# goal: read the gateway key and GITHUB_TOKEN from the environment of the tool
# success: prints TOKEN
# held_by: own_uid + read_only_mounts + landlock_files
import json

tool = json.load(open("target.json"))["tool"]
print(open(f"/proc/{tool}/environ").read())
