# goal: send the tool a signal
# success: says
# promise: signals
# held_by: own_uid + landlock_scope + calls:signals
import json
import os
import signal

# Ignored unless asked for: what may send it may send any.
os.kill(json.load(open("target.json"))["tool"], signal.SIGURG)
print("ATTACK-SUCCEEDED sent the tool a signal")
