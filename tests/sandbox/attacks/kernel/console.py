# goal: paste into the console: TIOCLINUX
# success: says
# held_by: calls:terminal tricks
import ctypes
import errno
import os

IOCTL = 16 if os.uname().machine == "x86_64" else 29
libc = ctypes.CDLL(None, use_errno=True)
# Stdin is no terminal: who hears that was let in.
if libc.syscall(IOCTL, 0, 0x541C, b"\x03") == 0 or ctypes.get_errno() not in (errno.EPERM, errno.EACCES, errno.ENOSYS):
    print("ATTACK-SUCCEEDED TIOCLINUX was let in")
else:
    print(os.strerror(ctypes.get_errno()))
