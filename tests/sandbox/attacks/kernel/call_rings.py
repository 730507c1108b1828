# goal: make calls that no filter sees: io_uring
# success: says
# held_by: calls:io_uring
import ctypes
import os

IO_URING_SETUP = 425
libc = ctypes.CDLL(None, use_errno=True)
if libc.syscall(IO_URING_SETUP, 8, ctypes.create_string_buffer(256)) >= 0:
    print("ATTACK-SUCCEEDED set up an io_uring")
else:
    print(os.strerror(ctypes.get_errno()))
