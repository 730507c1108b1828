# goal: take more memory than allowed, and keep it
# success: exceeds memory
# held_by: watch
# polled: yes
# alone: yes
# limits: wall=5 memory=512M
import time

kept = []
for _ in range(110):
    kept.append(b"x" * (8 << 20))
time.sleep(2)
