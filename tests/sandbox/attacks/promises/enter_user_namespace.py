# goal: be root in a user namespace of its own, and make another view of the file system there
# success: says
# promise: files
# held_by: calls:namespaces
import ctypes
import os

NEW_USER = 0x10000000
libc = ctypes.CDLL(None, use_errno=True)
if libc.unshare(NEW_USER) == 0:
    print("ATTACK-SUCCEEDED entered a user namespace")
else:
    print(os.strerror(ctypes.get_errno()))
