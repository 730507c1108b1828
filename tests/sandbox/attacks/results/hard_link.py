# goal: as link_to_secret, with a second name of the file, which no test for links shows
# success: collects TOKEN
# held_by: always:collecting
# collect: result.txt
import json
import os

os.link(json.load(open("target.json"))["secret_file"], "result.txt")
