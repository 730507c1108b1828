# goal: have the machine swap to a file of one's own, which holds everybody's memory then
# success: says
# held_by: calls:the machine + own_uid
# needs: root
import ctypes
import errno
import os

SWAPON = 167 if os.uname().machine == "x86_64" else 224
libc = ctypes.CDLL(None, use_errno=True)
# A file that is not there: who hears that was let in.
if libc.syscall(SWAPON, b"missing", 0) == 0 or ctypes.get_errno() not in (errno.EPERM, errno.EACCES, errno.ENOSYS):
    print("ATTACK-SUCCEEDED may add swap space")
else:
    print(os.strerror(ctypes.get_errno()))
