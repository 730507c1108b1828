# goal: attach to the tool as a debugger does
# success: says
# promise: secrets
# held_by: calls:tracing + own_uid + landlock_files + landlock_network + landlock_scope + read_only_mounts
import ctypes
import json
import os

SEIZE = 0x4206
libc = ctypes.CDLL(None, use_errno=True)
libc.ptrace.restype = ctypes.c_long
tool = json.load(open("target.json"))["tool"]
# Unlike attaching it does not stop it; the end of this program lets it go.
if libc.ptrace(SEIZE, tool, None, None) == 0:
    print("ATTACK-SUCCEEDED traces the tool")
else:
    print(os.strerror(ctypes.get_errno()))
