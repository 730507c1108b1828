# goal: read from every descriptor that the tool forgot to close
# success: prints TOKEN
# held_by: always:streams
# no_control: Python closes descriptors for its children, and the usual way to run programs leaves it at that
import os

for descriptor in range(3, 1024):
    for read in (lambda: os.pread(descriptor, 4096, 0), lambda: os.read(descriptor, 4096)):
        try:
            os.set_blocking(descriptor, False)
            print(descriptor, read())
        except OSError:
            pass
