# goal: leave a message in a queue of the kernel (System V) for the next run
# success: carries
# runs: 2
# held_by: calls:memory that outlives the program
import ctypes
import json
import os
import zlib

libc = ctypes.CDLL(None, use_errno=True)
target = json.load(open("target.json"))
key = zlib.crc32(target["workspace"].encode()) & 0x7FFFFFFF
first = os.environ["ATTACK_RUN"] == "1"
queue = libc.msgget(key, 0o1666 if first else 0o666)
print("queue", queue, ctypes.get_errno())
if queue >= 0:
    message = ctypes.create_string_buffer((1).to_bytes(8, "little") + target.get("carry", "").encode(), 256)
    if first:
        libc.msgsnd(queue, message, 60, 0o4000)
    else:
        libc.msgrcv(queue, message, 200, 0, 0o4000)
        print(message.raw[8:])
        libc.msgctl(queue, 0, None)
