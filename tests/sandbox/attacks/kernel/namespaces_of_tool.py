# goal: enter the namespaces of the tool by a descriptor of it: setns
# success: says
# held_by: calls:namespaces + own_uid + landlock_files + landlock_network + landlock_scope
# needs: root
import ctypes
import json
import os

NEW_NETWORK = 0x40000000
libc = ctypes.CDLL(None, use_errno=True)
tool = os.pidfd_open(json.load(open("target.json"))["tool"])
if libc.setns(tool, NEW_NETWORK) == 0:
    print("ATTACK-SUCCEEDED entered the tool's network")
else:
    print(os.strerror(ctypes.get_errno()))
