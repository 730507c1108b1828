# goal: have the tool wait for ever: the result file is a FIFO to which nobody writes
# success: stalls
# held_by: always:collecting
# limits: wall=1
# collect: result.txt
import os

os.mkfifo("result.txt")
