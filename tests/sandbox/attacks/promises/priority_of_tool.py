# goal: slow the tool down
# success: says
# promise: signals
# held_by: calls:priority of others + own_uid
import json
import os

tool = json.load(open("target.json"))["tool"]
os.setpriority(os.PRIO_PROCESS, tool, os.getpriority(os.PRIO_PROCESS, tool))
print("ATTACK-SUCCEEDED set the tool's priority")
