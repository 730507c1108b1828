# goal: slow the tool down
# success: signals tool
# held_by: own_uid + calls:priority of others
import json
import os

os.setpriority(os.PRIO_PROCESS, json.load(open("target.json"))["tool"], 19)
