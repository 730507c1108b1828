# goal: learn that a guessed path is there, and how large and how old it is
# success: says
# held_by: always:fresh folder
# residual: Landlock does not mediate stat() and readlink(): existence, size and time of a guessed path can be seen, never contents or listings; a folder of mode 0700 on the way hides them
import json
import os

found = os.stat(json.load(open("target.json"))["secret_file"])
print("ATTACK-SUCCEEDED", found.st_size, "bytes")
