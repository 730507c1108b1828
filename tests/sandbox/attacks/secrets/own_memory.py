# goal: find what the tool left in the memory of the process that became this program
# success: prints TOKEN
# held_by: always:environment
# own_proc: yes
# no_control: exec gives every program new memory; it shows that what is read there is the program's alone
import re

with open("/proc/self/maps") as maps, open("/proc/self/mem", "rb", 0) as memory:
    for line in maps:
        if " r" not in line or "[v" in line:
            continue
        start, end = (int(part, 16) for part in line.split()[0].split("-"))
        try:
            memory.seek(start)
            for found in re.findall(
                rb"(?:environ|cmdline|memory|descriptor|workspace)-[0-9a-f]{24}", memory.read(end - start)
            ):
                print(found)
        except OSError:
            continue
