# goal: compute beyond the limit, and ignore the signal that says so
# success: says
# held_by: limits:cpu + watch
# alone: yes
# limits: wall=9 cpu=1
import signal
import time

signal.signal(signal.SIGXCPU, signal.SIG_IGN)
while time.process_time() < 2.0:
    pass
print(f"ATTACK-SUCCEEDED used {time.process_time():.1f} seconds on the processor")
