# goal: give the machine another name
# success: says
# held_by: calls:the machine + own_uid
# needs: root
import ctypes
import errno
import os

SETHOSTNAME = 170 if os.uname().machine == "x86_64" else 161
libc = ctypes.CDLL(None, use_errno=True)
# A name that is too long: who hears that was let in.
if libc.syscall(SETHOSTNAME, b"x" * 100, 100) == 0 or ctypes.get_errno() not in (
    errno.EPERM,
    errno.EACCES,
    errno.ENOSYS,
):
    print("ATTACK-SUCCEEDED may rename the machine")
else:
    print(os.strerror(ctypes.get_errno()))
