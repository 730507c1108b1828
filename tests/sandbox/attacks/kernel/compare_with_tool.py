# goal: learn which files the tool shares with others: kcmp
# success: says
# held_by: calls:other processes' descriptors + own_uid + landlock_files + landlock_network + landlock_scope
# needs: root
import ctypes
import errno
import json
import os

KCMP = 312 if os.uname().machine == "x86_64" else 272
libc = ctypes.CDLL(None, use_errno=True)
# It only compares.
if libc.syscall(KCMP, os.getpid(), json.load(open("target.json"))["tool"], 0, 0, 0) >= 0 or ctypes.get_errno() not in (
    errno.EPERM,
    errno.EACCES,
    errno.ENOSYS,
):
    print("ATTACK-SUCCEEDED compared itself with the tool")
else:
    print(os.strerror(ctypes.get_errno()))
