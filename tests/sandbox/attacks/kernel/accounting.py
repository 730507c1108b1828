# goal: have a line written for each process of the machine: acct
# success: says
# held_by: calls:the machine + own_uid
# needs: root
import ctypes
import errno
import os

ACCT = 163 if os.uname().machine == "x86_64" else 89
libc = ctypes.CDLL(None, use_errno=True)
# A file that is not there: who hears that was let in.
if libc.syscall(ACCT, b"missing") == 0 or ctypes.get_errno() not in (errno.EPERM, errno.EACCES, errno.ENOSYS):
    print("ATTACK-SUCCEEDED may turn on accounting")
else:
    print(os.strerror(ctypes.get_errno()))
