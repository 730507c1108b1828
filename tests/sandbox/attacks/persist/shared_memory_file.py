# goal: leave a file in the shared memory of the machine
# success: carries
# runs: 2
# held_by: landlock_files + read_only_mounts
import json
import os

target = json.load(open("target.json"))
path = "/dev/shm/attack-carries-" + os.path.basename(os.path.dirname(target["workspace"]))
if os.environ["ATTACK_RUN"] == "1":
    open(path, "w").write(target["carry"])
else:
    print(open(path).read())
    os.unlink(path)
