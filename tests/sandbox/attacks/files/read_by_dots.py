# goal: read the checkout by a path that begins in the own folder, or by that of a folder opened first
# success: prints TOKEN
# held_by: landlock_files
import json
import os

path = json.load(open("target.json"))["secret_file"]
tries = [
    lambda: os.open("../" * 20 + path, os.O_RDONLY),
    lambda: os.open(path[1:], os.O_RDONLY, dir_fd=os.open("/", os.O_PATH)),
    lambda: os.open(os.path.basename(path), os.O_RDONLY, dir_fd=os.open(os.path.dirname(path), os.O_PATH)),
    lambda: os.open(f"/proc/self/fd/{os.open(path, os.O_PATH)}", os.O_RDONLY),
]
for attempt in tries:
    try:
        print(os.read(attempt(), 100))
    except OSError as error:
        print(error)
