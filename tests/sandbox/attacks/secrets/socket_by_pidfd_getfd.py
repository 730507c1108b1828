# goal: take a connected socket of the tool, and read what waits in it
# success: prints TOKEN
# held_by: calls:other processes' descriptors + own_uid + read_only_mounts + landlock_files + landlock_network + landlock_scope
import ctypes
import json
import os

PIDFD_GETFD = 438
libc = ctypes.CDLL(None, use_errno=True)
other = os.pidfd_open(json.load(open("target.json"))["other"])
taken = libc.syscall(PIDFD_GETFD, other, 8, 0)
if taken < 0:
    raise SystemExit(f"errno {ctypes.get_errno()}")
print(os.read(taken, 100))
