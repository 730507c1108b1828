# goal: use a socket that the tool forgot to close
# success: says
# held_by: always:streams
# no_control: Python closes descriptors for its children, and the usual way to run programs leaves it at that
import os
import stat

for descriptor in range(1024):
    try:
        if stat.S_ISSOCK(os.fstat(descriptor).st_mode):
            print(f"ATTACK-SUCCEEDED descriptor {descriptor} is a socket")
    except OSError:
        pass
