# goal: open what the tool has open, files without a name too, by way of /proc/PID/fd
# success: prints TOKEN
# held_by: own_uid + read_only_mounts + landlock_files + landlock_network + landlock_scope
import json
import os

tool = json.load(open("target.json"))["tool"]
for name in os.listdir(f"/proc/{tool}/fd"):
    try:
        descriptor = os.open(f"/proc/{tool}/fd/{name}", os.O_RDONLY | os.O_NONBLOCK)
        print(os.pread(descriptor, 4096, 0))
    except OSError as error:
        print(name, error)
