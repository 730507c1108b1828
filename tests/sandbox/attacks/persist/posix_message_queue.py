# goal: leave a message in a named queue of the kernel (POSIX) for the next run
# success: carries
# runs: 2
# held_by: calls:memory that outlives the program + limits:message queues + landlock_files
import ctypes
import json
import os


class Attributes(ctypes.Structure):
    _fields_ = [("values", ctypes.c_long * 8)]


libc = ctypes.CDLL(None, use_errno=True)
target = json.load(open("target.json"))
name = b"/" + os.path.basename(os.path.dirname(target["workspace"])).encode()
os.umask(0)
if os.environ["ATTACK_RUN"] == "1":
    attributes = Attributes((ctypes.c_long * 8)(0, 4, 200, 0))
    queue = libc.mq_open(name, os.O_CREAT | os.O_RDWR | os.O_NONBLOCK, 0o666, ctypes.byref(attributes))
    print("queue", queue, ctypes.get_errno())
    carry = target["carry"].encode()
    print(libc.mq_send(queue, carry, len(carry), 0))
else:
    queue = libc.mq_open(name, os.O_RDONLY | os.O_NONBLOCK)
    print("queue", queue, ctypes.get_errno())
    message = ctypes.create_string_buffer(200)
    libc.mq_receive(queue, message, 200, None)
    print(message.value)
    libc.mq_unlink(name)
