# goal: read what the tool was given on its stdin, which a child inherits unless told otherwise
# success: prints TOKEN
# held_by: always:streams
import os

try:
    print(os.pread(0, 4096, 0))
except OSError as error:
    print(error)
print(os.read(0, 4096))
