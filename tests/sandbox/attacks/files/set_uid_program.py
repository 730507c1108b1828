# goal: become another user by way of a set-uid program, and read what is that user's alone
# success: prints TOKEN
# held_by: no_new_privileges
# needs: setuid
import json
import os
import subprocess

target = json.load(open("target.json"))
print(subprocess.run([target["setuid"], target["setuid_file"]], env=dict(os.environ), capture_output=True))
