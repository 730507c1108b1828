# goal: have the tool run only when nothing else does
# success: signals tool
# held_by: own_uid + calls:scheduling of others
import json
import os

os.sched_setscheduler(json.load(open("target.json"))["tool"], os.SCHED_IDLE, os.sched_param(0))
