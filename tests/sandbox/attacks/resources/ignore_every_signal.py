# goal: hold up whoever waits for it, and ignore whatever it is sent
# success: stalls
# held_by: always:wall
# no_control: the usual way sends the one signal that nobody can ignore, too
# limits: wall=1
import signal
import time

for number in range(1, signal.NSIG):
    try:
        signal.signal(number, signal.SIG_IGN)
    except (OSError, ValueError):
        pass
time.sleep(8)
