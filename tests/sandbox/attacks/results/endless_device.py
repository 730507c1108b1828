# goal: have the tool read for ever: the result file is a link to /dev/zero
# success: collects MORE
# held_by: always:collecting
# collect: result.txt
import os

os.symlink("/dev/zero", "result.txt")
