# goal: go on after the end, and ignore whatever it is sent
# success: outlives
# held_by: always:kill
import os
import signal
import time

if os.fork() == 0:
    for number in range(1, signal.NSIG):
        try:
            signal.signal(number, signal.SIG_IGN)
        except (OSError, ValueError):
            pass
    signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())
    os.closerange(0, 256)
    time.sleep(5)
    os._exit(0)
time.sleep(0.1)
