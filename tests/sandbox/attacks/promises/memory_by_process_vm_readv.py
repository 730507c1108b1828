# goal: read the memory of the tool without opening any file
# success: says
# promise: secrets
# held_by: calls:tracing + own_uid + landlock_files + landlock_network + landlock_scope + read_only_mounts
import ctypes
import errno
import json
import os


class Part(ctypes.Structure):
    _fields_ = [("base", ctypes.c_void_p), ("length", ctypes.c_size_t)]


libc = ctypes.CDLL(None, use_errno=True)
tool = json.load(open("target.json"))["tool"]
kept = ctypes.create_string_buffer(8)
here, there = Part(ctypes.addressof(kept), 8), Part(0, 8)
libc.process_vm_readv(tool, ctypes.byref(here), 1, ctypes.byref(there), 1, 0)
# Nothing lies at address 0: who hears that was allowed to look.
if ctypes.get_errno() == errno.EFAULT:
    print("ATTACK-SUCCEEDED may read the tool's memory")
else:
    print(os.strerror(ctypes.get_errno()))
