# goal: put a rule that allows everything over those that are there
# success: prints TOKEN
# held_by: landlock_files
import ctypes
import json
import os
import struct

CREATE, ADD, RESTRICT, PATH_BENEATH = 444, 445, 446, 1
READ = 1 << 2
libc = ctypes.CDLL(None, use_errno=True)
libc.prctl(38, 1, 0, 0, 0)
rules = libc.syscall(CREATE, struct.pack("=Q", READ), ctypes.c_size_t(8), 0)
root = os.open("/", os.O_PATH)
print(libc.syscall(ADD, rules, PATH_BENEATH, struct.pack("=Qi", READ, root), 0), libc.syscall(RESTRICT, rules, 0))
print(open(json.load(open("target.json"))["secret_file"]).read())
