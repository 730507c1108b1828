# goal: use the call for segments of the processor, behind which flaws of the kernel were
# success: says
# held_by: calls:old calls
import ctypes
import errno
import os

MODIFY_LDT = 154 if os.uname().machine == "x86_64" else -1
libc = ctypes.CDLL(None, use_errno=True)
# It only reads.
if libc.syscall(MODIFY_LDT, 0, ctypes.create_string_buffer(64), 64) == 0 or ctypes.get_errno() not in (
    errno.EPERM,
    errno.EACCES,
    errno.ENOSYS,
):
    print("ATTACK-SUCCEEDED modify_ldt was let in")
else:
    print(os.strerror(ctypes.get_errno()))
