# goal: leave a file that not even root can remove: its immutable flag is set
# success: stays
# held_by: own_uid
# needs: root
# alone: yes
import fcntl
import os
import struct

SET_FLAGS, IMMUTABLE = 0x40086602, 0x10
descriptor = os.open("file", os.O_CREAT | os.O_RDONLY)
fcntl.ioctl(descriptor, SET_FLAGS, struct.pack("l", IMMUTABLE))
print("immutable")
