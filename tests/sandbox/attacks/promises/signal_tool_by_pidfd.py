# goal: send the tool a signal by a descriptor
# success: says
# promise: signals
# held_by: own_uid + landlock_scope + calls:signals by descriptor
import json
import os
import signal

tool = os.pidfd_open(json.load(open("target.json"))["tool"])
signal.pidfd_send_signal(tool, signal.SIGURG)
print("ATTACK-SUCCEEDED sent the tool a signal")
