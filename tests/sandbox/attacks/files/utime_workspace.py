# goal: give a file of the checkout another time, so that a build takes it for unchanged
# success: changes secret_file
# held_by: own_uid + read_only_mounts + calls:times by path, the newer call
import json
import os

os.utime(json.load(open("target.json"))["secret_file"], (1, 1))
