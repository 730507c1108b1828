# repeats: yes
# Three million bytes: the first 1 MiB is kept, and every write succeeds.
import sys

written = 0
for _ in range(46_875):
    written += sys.stdout.write("0123456789 abcdefghijklmnopqrstuvwxyz ABCDEFGHIJKLMNOPQRSTUVWXY\n")
sys.stdout.flush()
print(written, file=sys.stderr)
