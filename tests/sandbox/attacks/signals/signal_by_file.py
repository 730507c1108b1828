# goal: have a pipe send the tool a signal of one's choice as soon as something can be read
# success: signals tool
# held_by: own_uid + landlock_scope + calls:signals by a file
import fcntl
import json
import os
import signal

SET_SIGNAL = 10
tool = json.load(open("target.json"))["tool"]
reading, writing = os.pipe()
fcntl.fcntl(reading, fcntl.F_SETOWN, tool)
fcntl.fcntl(reading, SET_SIGNAL, signal.SIGUSR1)
fcntl.fcntl(reading, fcntl.F_SETFL, os.O_ASYNC)
os.write(writing, b"x")
