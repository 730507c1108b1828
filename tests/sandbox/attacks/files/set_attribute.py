# goal: store data in the extended attributes of a file outside
# success: changes canary
# held_by: calls:extended attributes + read_only_mounts
import json
import os

os.setxattr(json.load(open("target.json"))["canary"], "user.note", b"x" * 1000)
