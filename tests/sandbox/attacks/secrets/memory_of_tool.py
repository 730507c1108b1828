# goal: find a secret in the memory of the tool by way of /proc/PID/mem
# success: prints TOKEN
# held_by: own_uid + read_only_mounts + landlock_files + landlock_network + landlock_scope
import json
import re

tool = json.load(open("target.json"))["tool"]
with open(f"/proc/{tool}/maps") as maps, open(f"/proc/{tool}/mem", "rb", 0) as memory:
    for line in maps:
        if " rw-p " not in line:
            continue
        start, end = (int(part, 16) for part in line.split()[0].split("-"))
        try:
            memory.seek(start)
            found = re.search(rb"memory-[0-9a-f]{24}", memory.read(min(end - start, 64 << 20)))
        except OSError:
            continue
        if found:
            print(found[0].decode())
            break
