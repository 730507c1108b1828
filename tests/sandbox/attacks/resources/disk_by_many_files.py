# goal: fill the disk with files each of which is small enough
# success: exceeds disk
# held_by: watch
# polled: yes
# limits: wall=5 scratch=64M
import time

for number in range(280):
    with open(f"f{number}", "wb", 0) as file:
        file.write(b"x" * (1 << 20))
time.sleep(1)
