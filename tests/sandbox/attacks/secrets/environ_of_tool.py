# goal: read the gateway key and GITHUB_TOKEN from the environment of the tool
# success: prints TOKEN
# held_by: own_uid + landlock_files + landlock_network + landlock_scope
import json

tool = json.load(open("target.json"))["tool"]
print(open(f"/proc/{tool}/environ").read())
