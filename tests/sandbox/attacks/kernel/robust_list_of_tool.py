# goal: learn where the memory of the tool lies: get_robust_list
# success: says
# held_by: calls:other processes' descriptors + own_uid + landlock_files + landlock_network + landlock_scope + read_only_mounts
import ctypes
import json
import os

GET_ROBUST_LIST = 274 if os.uname().machine == "x86_64" else 100
libc = ctypes.CDLL(None, use_errno=True)
tool = json.load(open("target.json"))["tool"]
head, length = ctypes.c_void_p(), ctypes.c_size_t()
if libc.syscall(GET_ROBUST_LIST, tool, ctypes.byref(head), ctypes.byref(length)) == 0:
    print(f"ATTACK-SUCCEEDED an address in the tool: {head.value}")
else:
    print(os.strerror(ctypes.get_errno()))
