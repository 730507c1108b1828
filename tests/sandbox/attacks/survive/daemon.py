# goal: go on after the end, as a daemon does: forked twice, in a session of its own, without streams
# success: outlives
# held_by: always:kill
import os
import time

if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        os.closerange(0, 256)
        time.sleep(5)
    os._exit(0)
