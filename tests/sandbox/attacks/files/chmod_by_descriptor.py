# goal: change the mode of a file of the checkout without its path: by a descriptor that may not even read
# success: changes secret_file
# held_by: own_uid + read_only_mounts + landlock_files; own_uid + read_only_mounts + calls:modes by path
import ctypes
import json
import os

path = json.load(open("target.json"))["secret_file"]
libc = ctypes.CDLL(None, use_errno=True)


def opened():
    os.fchmod(os.open(path, os.O_RDONLY), 0o755)


def unopened():
    descriptor = os.open(path, os.O_PATH)
    if libc.syscall(452, descriptor, b"", 0o755, 0x1000):  # fchmodat2, AT_EMPTY_PATH
        raise OSError(ctypes.get_errno(), "fchmodat2")


for act in (opened, unopened):
    try:
        act()
    except OSError as error:
        print(error)
