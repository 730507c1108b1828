# goal: leave a segment of shared memory that outlives all processes, for the next run
# success: carries
# runs: 2
# held_by: calls:memory that outlives the program
import ctypes
import json
import os
import zlib

libc = ctypes.CDLL(None, use_errno=True)
libc.shmat.restype = ctypes.c_void_p
target = json.load(open("target.json"))
key = zlib.crc32(target["workspace"].encode()) & 0x7FFFFFFF
first = os.environ["ATTACK_RUN"] == "1"
segment = libc.shmget(key, 4096, 0o1666 if first else 0o666)
print("segment", segment, ctypes.get_errno())
if segment >= 0:
    address = libc.shmat(segment, None, 0)
    if first:
        ctypes.memmove(address, target["carry"].encode() + b"\0", len(target["carry"]) + 1)
    else:
        print(ctypes.string_at(address))
        libc.shmctl(segment, 0, None)
