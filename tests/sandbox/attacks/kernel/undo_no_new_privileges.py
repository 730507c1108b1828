# goal: take back that it may gain no privileges, and run a set-uid program
# success: prints TOKEN
# held_by: no_new_privileges; own_uid + landlock_files
# needs: setuid
import ctypes
import json
import subprocess

SET_NO_NEW_PRIVILEGES = 38
print(ctypes.CDLL(None, use_errno=True).prctl(SET_NO_NEW_PRIVILEGES, 0, 0, 0, 0))
target = json.load(open("target.json"))
print(subprocess.run([target["setuid"], target["setuid_file"]], capture_output=True, check=False))
