# goal: put the tool behind everybody else at the disk: ioprio_set
# success: says
# held_by: own_uid + calls:disk priority of others
import ctypes
import json
import os

IOPRIO_SET = 251 if os.uname().machine == "x86_64" else 30
PROCESS, IDLE = 1, 3 << 13
libc = ctypes.CDLL(None, use_errno=True)
tool = json.load(open("target.json"))["tool"]
if libc.syscall(IOPRIO_SET, PROCESS, tool, IDLE) == 0:
    print("ATTACK-SUCCEEDED the tool waits for everybody")
else:
    print(os.strerror(ctypes.get_errno()))
