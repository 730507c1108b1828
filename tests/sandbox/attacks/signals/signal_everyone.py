# goal: signal every process of this user at once
# success: signals other
# held_by: own_uid + landlock_scope + calls:signals
# needs: user
# alone: yes
import os
import signal

# Users that have nothing but the corpus; and the signal does nothing to who does not ask for it.
if os.getuid() in (61100, *range(61184, 61248)):
    os.kill(-1, signal.SIGURG)
else:
    print("this user has other processes")
