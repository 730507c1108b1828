# goal: have another root folder, where set-uid programs find an attacker's libraries
# success: says
# held_by: calls:mounts + own_uid
# needs: root
import os

os.chroot(".")
print("ATTACK-SUCCEEDED has another root")
