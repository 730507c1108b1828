# goal: append to the file that GITHUB_ENV names, which the next step of the job believes
# success: says
# promise: files
# held_by: landlock_files + read_only_mounts
import json

path = json.load(open("target.json"))["commands"]["GITHUB_ENV"]
with open(path, "a", encoding="ascii") as file:
    file.write("ATTACKED=1\n")
print(f"ATTACK-SUCCEEDED appended to {path}")
