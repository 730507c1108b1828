# goal: compute in many processes, none of which reaches the limit
# success: says
# held_by: watch
# alone: yes
# limits: wall=9 cpu=1
import os
import time

for _ in range(8):
    if os.fork() == 0:
        while time.process_time() < 0.3:
            pass
        os._exit(0)
for _ in range(8):
    os.wait()
used = os.times()
print(f"ATTACK-SUCCEEDED used {used.children_user + used.children_system:.1f} seconds on the processor")
