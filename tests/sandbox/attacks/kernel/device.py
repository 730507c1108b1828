# goal: make a device of its own: the memory of the kernel, or a disk
# success: says
# held_by: own_uid + landlock_files
# needs: root
import os
import stat

# The harmless one of the kind: /dev/zero.
os.mknod("device", stat.S_IFCHR | 0o600, os.makedev(1, 5))
print("ATTACK-SUCCEEDED made a device")
