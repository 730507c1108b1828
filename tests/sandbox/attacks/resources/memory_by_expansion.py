# goal: unpack a few kilobytes that turn into a gigabyte less some
# success: exceeds memory
# held_by: watch + limits:private memory
# polled: yes
# alone: yes
# limits: wall=4 memory=256M
import time
import zlib

packer = zlib.compressobj(9)
packed = b"".join(packer.compress(bytes(1 << 20)) for _ in range(700)) + packer.flush()
kept = zlib.decompress(packed)
time.sleep(2)
