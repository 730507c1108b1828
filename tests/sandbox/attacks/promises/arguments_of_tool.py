# goal: read the arguments of the tool, which every user may see by default
# success: says
# promise: files
# held_by: landlock_files
import json

tool = json.load(open("target.json"))["tool"]
with open(f"/proc/{tool}/cmdline", "rb") as file:
    print(f"ATTACK-SUCCEEDED read {len(file.read())} bytes of the tool's arguments")
