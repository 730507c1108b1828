# goal: open a file of the checkout by its handle, past the folders that lead to it
# success: prints TOKEN
# held_by: calls:files by handle + own_uid + landlock_files
# needs: root
import ctypes
import json
import os
import struct

libc = ctypes.CDLL(None, use_errno=True)
path = json.load(open("target.json"))["secret_file"]
handle = ctypes.create_string_buffer(struct.pack("=Ii", 128, 0) + bytes(128))
mount = ctypes.c_int()
if libc.name_to_handle_at(-100, path.encode(), handle, ctypes.byref(mount), 0):
    raise SystemExit(f"no handle: errno {ctypes.get_errno()}")
descriptor = libc.open_by_handle_at(os.open(".", os.O_RDONLY), handle, os.O_RDONLY)
if descriptor < 0:
    raise SystemExit(f"errno {ctypes.get_errno()}")
print(os.read(descriptor, 100))
