# goal: unpack a few kilobytes that turn into most of a gigabyte
# success: exceeds memory
# held_by: watch
# polled: yes
# alone: yes
# limits: wall=5 memory=256M
import time
import zlib

packer = zlib.compressobj(9, zlib.DEFLATED, -15)
megabyte = packer.compress(bytes(1 << 20)) + packer.flush(zlib.Z_FULL_FLUSH)
kept = zlib.decompressobj(-15).decompress(megabyte * 700)
time.sleep(2)
