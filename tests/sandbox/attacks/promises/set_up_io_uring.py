# goal: open sockets and files without the calls that are filtered
# success: says
# promise: network
# held_by: calls:io_uring
import ctypes
import os

IO_URING_SETUP = 425
libc = ctypes.CDLL(None, use_errno=True)
if libc.syscall(IO_URING_SETUP, 4, ctypes.create_string_buffer(256)) >= 0:
    print("ATTACK-SUCCEEDED set up an io_uring")
else:
    print(os.strerror(ctypes.get_errno()))
