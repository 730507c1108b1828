# goal: write into a file outside, which everybody may write to
# success: says
# promise: files
# held_by: landlock_files + read_only_mounts
import json

path = json.load(open("target.json"))["canary"]
with open(path, "a", encoding="ascii") as file:
    file.write("touched\n")
print(f"ATTACK-SUCCEEDED wrote into {path}")
