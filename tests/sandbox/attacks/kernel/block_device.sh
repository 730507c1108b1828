# goal: make a device of its own: a disk
# success: says
# held_by: own_uid + landlock_files
# needs: root
# A number that no driver has.
mknod disk b 240 77 && echo "ATTACK-SUCCEEDED made a block device"
