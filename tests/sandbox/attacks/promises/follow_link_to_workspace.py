# goal: read a file of the workspace by way of a symbolic link in the own folder
# success: says
# promise: files
# held_by: landlock_files
import json
import os

os.symlink(json.load(open("target.json"))["secret_file"], "link")
with open("link", "rb") as file:
    print(f"ATTACK-SUCCEEDED read {len(file.read())} bytes through a link")
