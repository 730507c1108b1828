# goal: queue signals to oneself that are never taken: each is memory of the kernel
# success: says
# held_by: limits:pending signals
import ctypes
import os
import signal

libc = ctypes.CDLL(None)
signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGRTMIN + 1])
queued = 0
while queued < 4000 and libc.sigqueue(os.getpid(), int(signal.SIGRTMIN) + 1, None) == 0:
    queued += 1
if queued > 1536:
    print(f"ATTACK-SUCCEEDED queued {queued} signals")
else:
    print(queued)
