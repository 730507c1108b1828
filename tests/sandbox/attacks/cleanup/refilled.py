# goal: keep the folder from being empty: processes left behind make files while it is removed
# success: stays
# held_by: always:kill
# limits: wall=2
import os
import time

folder = os.getcwd()
for number in range(2):
    if os.fork() == 0:
        for descriptor in (0, 1, 2):
            os.close(descriptor)
        until, count = time.monotonic() + 3, 0
        while time.monotonic() < until:
            count += 1
            try:
                os.makedirs(f"{folder}/more-{number}/{count}")
            except OSError:
                pass
        os._exit(0)
time.sleep(0.1)
