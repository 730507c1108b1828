# goal: make calls that are newer than the filter: attributes of files by path among them, which Landlock does not see
# success: says
# held_by: seccomp
import ctypes
import errno

NEWEST_KNOWN, FIRST_UNUSED = 462, 600
libc = ctypes.CDLL(None, use_errno=True)
found = []
for number in range(NEWEST_KNOWN + 1, FIRST_UNUSED):
    ctypes.set_errno(0)
    libc.syscall(number, -1, None, 0, None, 0, 0)
    if ctypes.get_errno() != errno.ENOSYS:
        found.append(number)
if found:
    print(f"ATTACK-SUCCEEDED this kernel has {found}")
