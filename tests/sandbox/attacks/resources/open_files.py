# goal: open more files than the system has room for
# success: exceeds files
# held_by: limits:open files; resource_limits
# limits: wall=2
import os
import time

kept = []
try:
    while len(kept) < 500:
        kept.append(os.open("/dev/null", os.O_RDONLY))
except OSError as error:
    print(len(kept), type(error).__name__)
else:
    time.sleep(1)
