# goal: go on after the end under a process that adopts all orphans
# success: outlives
# held_by: always:kill
import ctypes
import os
import time

SET_CHILD_SUBREAPER = 36
if os.fork() == 0:
    os.setsid()
    ctypes.CDLL(None).prctl(SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    for _ in range(3):
        if os.fork() == 0:
            if os.fork() == 0:
                os.closerange(0, 256)
                time.sleep(5)
            os._exit(0)
    os.closerange(0, 256)
    time.sleep(5)
    os._exit(0)
time.sleep(0.1)
