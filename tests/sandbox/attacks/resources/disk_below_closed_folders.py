# goal: hide what fills the disk in a folder that is closed to everybody, whoever looks for it
# success: exceeds disk
# held_by: watch
# needs: root
# polled: yes
# limits: wall=3 scratch=32M
import os
import time

os.mkdir("closed")
for number in range(120):
    with open(f"closed/f{number}", "wb", 0) as file:
        file.write(b"x" * (1 << 20))
    if number == 5:
        folder = os.open("closed", os.O_RDONLY)
        os.fchmod(folder, 0o300)
time.sleep(1)
