# goal: have the tool's memory moved out: process_madvise
# success: says
# held_by: own_uid + calls:tracing
# needs: root
import ctypes
import json
import os


class Part(ctypes.Structure):
    _fields_ = [("base", ctypes.c_void_p), ("length", ctypes.c_size_t)]


PROCESS_MADVISE, COLD = 440, 20
libc = ctypes.CDLL(None, use_errno=True)
tool = os.pidfd_open(json.load(open("target.json"))["tool"])
# No part at all: who hears 0 might name some.
if libc.syscall(PROCESS_MADVISE, tool, ctypes.byref(Part(0, 0)), 0, COLD, 0) == 0:
    print("ATTACK-SUCCEEDED may advise about the tool's memory")
else:
    print(os.strerror(ctypes.get_errno()))
