# goal: be root in a user namespace of its own: unshare
# success: says
# held_by: calls:namespaces
import ctypes
import os

NEW_USER = 0x10000000
libc = ctypes.CDLL(None, use_errno=True)
if libc.unshare(NEW_USER) == 0:
    print("ATTACK-SUCCEEDED in a user namespace")
else:
    print(os.strerror(ctypes.get_errno()))
