# goal: leave something in the keyring of the user, where the next run finds it
# success: carries
# runs: 2
# held_by: calls:keys + own_uid
import ctypes
import json
import os

ADD_KEY, KEYCTL = (248, 250) if os.uname().machine == "x86_64" else (217, 219)
USER_KEYRING, SEARCH, READ, UNLINK, SET_PERMISSIONS = -4, 10, 11, 9, 5
libc = ctypes.CDLL(None, use_errno=True)
target = json.load(open("target.json"))
carry = target.get("carry", "").encode()
if os.environ["ATTACK_RUN"] == "1":
    key = libc.syscall(ADD_KEY, b"user", b"attack", carry, len(carry), USER_KEYRING)
    print(key, ctypes.get_errno())
else:
    key = libc.syscall(KEYCTL, SEARCH, USER_KEYRING, b"user", b"attack", 0)
    print(key, ctypes.get_errno())
    if key > 0:
        # The one who possesses it may read it: from a keyring of the process, to which it is linked.
        libc.syscall(KEYCTL, 8, USER_KEYRING, -2)
        buffer = ctypes.create_string_buffer(100)
        print(libc.syscall(KEYCTL, READ, key, buffer, 100), buffer.value.decode())
        libc.syscall(KEYCTL, UNLINK, key, USER_KEYRING)
