# goal: put a key where every process of the user finds it
# success: says
# held_by: calls:keys
import ctypes
import os

ADD_KEY, KEYCTL = (248, 250) if os.uname().machine == "x86_64" else (217, 219)
PROCESS_KEYRING, REVOKE = -2, 3
libc = ctypes.CDLL(None, use_errno=True)
key = libc.syscall(ADD_KEY, b"user", b"attacked", b"x", ctypes.c_size_t(1), PROCESS_KEYRING)
if key > 0:
    print("ATTACK-SUCCEEDED added a key")
    libc.syscall(KEYCTL, REVOKE, key)
else:
    print(os.strerror(ctypes.get_errno()))
