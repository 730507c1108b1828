# goal: go on after the end as a process that belongs to root by its looks: it is not dumpable
# success: outlives
# held_by: always:kill
import ctypes
import os
import time

SET_DUMPABLE = 4
if os.fork() == 0:
    os.setsid()
    os.closerange(0, 256)
    ctypes.CDLL(None).prctl(SET_DUMPABLE, 0, 0, 0, 0)
    time.sleep(0.4)
    # A while it cannot be seen by its environment; then it can.
    ctypes.CDLL(None).prctl(SET_DUMPABLE, 1, 0, 0, 0)
    time.sleep(5)
    os._exit(0)
time.sleep(0.1)
