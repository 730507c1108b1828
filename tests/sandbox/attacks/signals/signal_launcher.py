# goal: be allowed to signal whoever started this program
# success: says
# held_by: own_uid + landlock_scope + calls:signals
import os

# Nothing is sent: what may do this may send any signal.
os.kill(os.getppid(), 0)
print("ATTACK-SUCCEEDED may signal its parent")
