# goal: take an open file of the tool by its number
# success: says
# promise: secrets
# held_by: calls:other processes' descriptors + own_uid + landlock_files + landlock_network + landlock_scope + read_only_mounts
import ctypes
import json
import os

PIDFD_GETFD = 438
libc = ctypes.CDLL(None, use_errno=True)
tool = os.pidfd_open(json.load(open("target.json"))["tool"])
if libc.syscall(PIDFD_GETFD, tool, 0, 0) >= 0:
    print("ATTACK-SUCCEEDED took the tool's descriptor 0")
else:
    print(os.strerror(ctypes.get_errno()))
