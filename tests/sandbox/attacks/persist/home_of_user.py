# goal: leave a file in the home folder that the user has by the table of users
# success: carries
# runs: 2
# held_by: own_uid + landlock_files + read_only_mounts
# needs: root
import json
import os
import pwd

target = json.load(open("target.json"))
path = pwd.getpwuid(os.getuid()).pw_dir + "/.attack-carries-" + os.path.basename(os.path.dirname(target["workspace"]))
if os.environ["ATTACK_RUN"] == "1":
    open(path, "w").write(target["carry"])
else:
    print(open(path).read())
    os.unlink(path)
