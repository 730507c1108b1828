# goal: poison the build cache of Go's standard library, which every build reads
# success: carries
# runs: 2
# held_by: own_uid + landlock_files
# needs: root go
import json
import os

target = json.load(open("target.json"))
path = str(target["go_seed"]) + "/attack-carries-" + os.path.basename(os.path.dirname(target["workspace"]))
if os.environ["ATTACK_RUN"] == "1":
    open(path, "w").write(target["carry"])
else:
    print(open(path).read())
    os.unlink(path)
