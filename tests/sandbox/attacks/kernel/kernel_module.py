# goal: load a module into the kernel
# success: says
# held_by: calls:the machine + own_uid
# needs: root
# no_control: the kernels we tried it on cannot do that at all
import ctypes
import errno
import os

INIT_MODULE = 175 if os.uname().machine == "x86_64" else 105
libc = ctypes.CDLL(None, use_errno=True)
# Nothing that could be a module: who hears that was let in.
if libc.syscall(INIT_MODULE, b"none", 4, b"") == 0 or ctypes.get_errno() not in (
    errno.EPERM,
    errno.EACCES,
    errno.ENOSYS,
):
    print("ATTACK-SUCCEEDED may load modules")
else:
    print(os.strerror(ctypes.get_errno()))
