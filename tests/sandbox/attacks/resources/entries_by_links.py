# goal: give one file thousands of names
# success: exceeds entries
# held_by: watch
# polled: yes
# limits: wall=6 entries=20000
import os
import time

open("0", "w").close()
for number in range(1, 60000):
    os.link("0", str(number))
time.sleep(1)
