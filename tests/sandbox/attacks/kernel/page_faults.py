# goal: stop the kernel whenever it touches one's memory: userfaultfd
# success: says
# held_by: calls:userfaultfd
import ctypes
import os

USERFAULTFD = 323 if os.uname().machine == "x86_64" else 282
USER_MODE_ONLY = 1
libc = ctypes.CDLL(None, use_errno=True)
if libc.syscall(USERFAULTFD, USER_MODE_ONLY) >= 0:
    print("ATTACK-SUCCEEDED handles page faults")
else:
    print(os.strerror(ctypes.get_errno()))
