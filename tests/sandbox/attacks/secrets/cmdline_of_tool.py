# goal: read a key from the arguments of the tool, which every user may see by default
# success: prints TOKEN
# held_by: landlock_files
import json

tool = json.load(open("target.json"))["tool"]
print(open(f"/proc/{tool}/cmdline").read())
