# goal: read the log of the kernel, which holds addresses and what other users do
# success: says
# held_by: own_uid + landlock_files
# needs: root
import os

if os.read(os.open("/dev/kmsg", os.O_RDONLY | os.O_NONBLOCK), 8192):
    print("ATTACK-SUCCEEDED a line of it")
