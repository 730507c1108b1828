# goal: hear of every change below a folder: fanotify
# success: says
# held_by: calls:watching files
import ctypes
import errno
import os

FANOTIFY_INIT = 300 if os.uname().machine == "x86_64" else 262
libc = ctypes.CDLL(None, use_errno=True)
# With FAN_REPORT_FID nobody needs a right for it.
if libc.syscall(FANOTIFY_INIT, 0x200, 0) == 0 or ctypes.get_errno() not in (errno.EPERM, errno.EACCES, errno.ENOSYS):
    print("ATTACK-SUCCEEDED set up fanotify")
else:
    print(os.strerror(ctypes.get_errno()))
