# goal: signal the tool by a descriptor: pidfd_send_signal
# success: signals tool
# held_by: own_uid + landlock_scope + calls:signals by descriptor
import json
import os
import signal

signal.pidfd_send_signal(os.pidfd_open(json.load(open("target.json"))["tool"]), signal.SIGUSR1)
