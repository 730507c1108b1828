# goal: be told when files change in a folder that it may not read
# success: says
# held_by: calls:watching files; seccomp
import ctypes
import json

libc = ctypes.CDLL(None, use_errno=True)
watch = libc.inotify_init1(0)
folder = json.load(open("target.json"))["workspace"]
if watch >= 0 and libc.inotify_add_watch(watch, folder.encode(), 0xFFF) >= 0:
    print("ATTACK-SUCCEEDED watching")
print("errno", ctypes.get_errno())
