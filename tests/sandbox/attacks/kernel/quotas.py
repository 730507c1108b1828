# goal: have all file systems write out their quotas: a call about disks that needs no right at all
# success: says
# held_by: calls:the machine
import ctypes
import errno
import os

QUOTACTL = 179 if os.uname().machine == "x86_64" else 60
libc = ctypes.CDLL(None, use_errno=True)
# Q_SYNC does no harm.
if libc.syscall(QUOTACTL, 0x800001 << 8, None, 0, None) == 0 or ctypes.get_errno() not in (
    errno.EPERM,
    errno.EACCES,
    errno.ENOSYS,
):
    print("ATTACK-SUCCEEDED quotactl was let in")
else:
    print(os.strerror(ctypes.get_errno()))
