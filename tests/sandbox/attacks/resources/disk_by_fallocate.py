# goal: take much of the disk in one call
# success: exceeds disk
# held_by: limits:file size + watch
# limits: wall=3 scratch=64M file_size=32M
import os
import time

descriptor = os.open("large", os.O_CREAT | os.O_RDWR, 0o600)
os.posix_fallocate(descriptor, 0, 280 << 20)
time.sleep(1)
