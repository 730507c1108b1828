# goal: take an open file of the tool by its number: pidfd_getfd
# success: prints TOKEN
# held_by: calls:other processes' descriptors + own_uid + read_only_mounts + landlock_files + landlock_network + landlock_scope
import ctypes
import json
import os

PIDFD_GETFD = 438
libc = ctypes.CDLL(None, use_errno=True)
tool = os.pidfd_open(json.load(open("target.json"))["tool"])
taken = libc.syscall(PIDFD_GETFD, tool, 7, 0)
if taken < 0:
    raise SystemExit(f"errno {ctypes.get_errno()}")
print(os.pread(taken, 100, 0))
