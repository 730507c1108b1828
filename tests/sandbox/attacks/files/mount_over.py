# goal: be root in a namespace of its own, and mount there as it likes
# success: says
# held_by: calls:namespaces + calls:mounts + landlock_files
import ctypes
import os

NEW_USER, NEW_MOUNTS, BIND = 0x10000000, 0x00020000, 4096
libc = ctypes.CDLL(None, use_errno=True)
uid = os.getuid()


def namespace():
    try:
        return os.stat("/proc/self/ns/user").st_ino
    except OSError as error:
        print(error)


before = namespace()
if libc.unshare(NEW_USER | NEW_MOUNTS):
    print("unshare: errno", ctypes.get_errno())
else:
    try:
        open("/proc/self/uid_map", "w").write(f"0 {uid} 1")
    except OSError as error:
        print(error)
os.mkdir("mine")
if namespace() == before:
    raise SystemExit("still in the namespace of the machine")
if libc.mount(b"none", b"mine", b"tmpfs", 0, None) == 0:
    print("ATTACK-SUCCEEDED mounted")
print("mount: errno", ctypes.get_errno())
