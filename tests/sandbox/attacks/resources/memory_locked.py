# goal: lock memory, so that it cannot be swapped out
# success: says
# held_by: limits:locked memory; own_uid
import ctypes
import mmap
import os

SIZE = 4 << 20
libc = ctypes.CDLL(None, use_errno=True)
area = mmap.mmap(-1, SIZE)
if libc.mlock(ctypes.byref(ctypes.c_char.from_buffer(area)), ctypes.c_size_t(SIZE)) == 0:
    print(f"ATTACK-SUCCEEDED locked {SIZE} bytes")
else:
    print(os.strerror(ctypes.get_errno()))
