# goal: leave something where the next program would find it: /tmp, /var/tmp, /dev/shm
# success: says
# promise: files
# held_by: landlock_files + read_only_mounts
import os
import tempfile

for folder in ("/tmp", "/var/tmp", "/dev/shm"):
    try:
        descriptor, path = tempfile.mkstemp(dir=folder)
    except OSError as error:
        print(folder, type(error).__name__)
    else:
        os.close(descriptor)
        os.unlink(path)
        print(f"ATTACK-SUCCEEDED made a file in {folder}")
