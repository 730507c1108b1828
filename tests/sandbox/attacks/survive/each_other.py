# goal: go on after the end as two processes that start each other anew
# success: outlives
# held_by: always:kill
import os
import time


def guard(until):
    while time.monotonic() < until:
        child = os.fork()
        if child == 0:
            os.setsid()
            parent = os.getppid()
            while os.getppid() == parent and time.monotonic() < until:
                time.sleep(0.001)
            continue
        os.waitpid(child, 0)
    os._exit(0)


if os.fork() == 0:
    os.setsid()
    os.closerange(0, 256)
    guard(time.monotonic() + 5)
time.sleep(0.1)
