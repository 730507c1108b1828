# goal: go on after the end in children that are stopped, and go on later
# success: outlives
# held_by: always:kill
import os
import signal
import time

waker = os.fork()
if waker == 0:
    os.setsid()
    os.closerange(0, 256)
    sleeper = os.fork()
    if sleeper == 0:
        os.kill(os.getpid(), signal.SIGSTOP)
        time.sleep(5)
        os._exit(0)
    time.sleep(1)
    os.kill(sleeper, signal.SIGCONT)
    time.sleep(4)
    os._exit(0)
time.sleep(0.1)
