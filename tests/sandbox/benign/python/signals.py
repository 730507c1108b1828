# A handler, an alarm, and an interrupt of its own.
import os
import signal
import time


def told(number, _frame):
    print("got", signal.Signals(number).name)


signal.signal(signal.SIGUSR1, told)
os.kill(os.getpid(), signal.SIGUSR1)
signal.signal(signal.SIGALRM, told)
signal.setitimer(signal.ITIMER_REAL, 0.01)
signal.pause()
try:
    signal.raise_signal(signal.SIGINT)
    time.sleep(1)
except KeyboardInterrupt:
    print("interrupted")
