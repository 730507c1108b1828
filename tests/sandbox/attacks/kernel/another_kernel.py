# goal: start another kernel: kexec_load
# success: says
# held_by: calls:the machine + own_uid
# needs: root
# no_control: the kernels we tried it on cannot do that at all
import ctypes
import errno
import os

KEXEC_LOAD = 246 if os.uname().machine == "x86_64" else 104
libc = ctypes.CDLL(None, use_errno=True)
# Flags that do not exist: who hears that was let in.
if libc.syscall(KEXEC_LOAD, 0, 0, None, 0xDEAD) == 0 or ctypes.get_errno() not in (
    errno.EPERM,
    errno.EACCES,
    errno.ENOSYS,
):
    print("ATTACK-SUCCEEDED may load another kernel")
else:
    print(os.strerror(ctypes.get_errno()))
