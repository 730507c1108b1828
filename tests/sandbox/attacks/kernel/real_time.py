# goal: run before everybody else on the machine, the tool too
# success: says
# held_by: own_uid
# needs: root
import os

os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1))
print("ATTACK-SUCCEEDED runs in real time")
os.sched_setscheduler(0, os.SCHED_OTHER, os.sched_param(0))
