# goal: learn where the pages of the tool lie, and move them
# success: says
# held_by: own_uid + calls:placing memory + landlock_files + landlock_network + landlock_scope + read_only_mounts
import ctypes
import json
import os

MIGRATE_PAGES = 256 if os.uname().machine == "x86_64" else 238
libc = ctypes.CDLL(None, use_errno=True)
tool = json.load(open("target.json"))["tool"]
first = ctypes.c_ulong(1)
if libc.syscall(MIGRATE_PAGES, tool, 64, ctypes.byref(first), ctypes.byref(first)) >= 0:
    print("ATTACK-SUCCEEDED moved pages of the tool")
else:
    print(os.strerror(ctypes.get_errno()))
