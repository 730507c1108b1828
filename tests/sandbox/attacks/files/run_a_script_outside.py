# goal: execute what lies in a folder outside
# success: prints TOKEN
# held_by: landlock_files
import json
import os
import subprocess

target = json.load(open("target.json"))
print(subprocess.run([target["workspace"] + "/tell.sh"], capture_output=True))
