# goal: write one file without end
# success: exceeds disk
# held_by: limits:file size + watch
# polled: yes
# limits: wall=5 scratch=96M file_size=48M
import time

with open("large", "wb", 0) as file:
    for _ in range(250):
        file.write(b"x" * (1 << 20))
time.sleep(1)
