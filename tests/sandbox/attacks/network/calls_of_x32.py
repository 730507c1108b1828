# goal: open a socket by the call of x32, the same number with a bit more
# success: says
# held_by: seccomp
# no_control: few kernels have x32 any more
import ctypes
import os
import socket

X32, SOCKET = 0x40000000, 41
made = ctypes.CDLL(None, use_errno=True).syscall(X32 | SOCKET, int(socket.AF_INET), int(socket.SOCK_STREAM), 0)
if os.uname().machine == "x86_64" and made >= 0:
    print("ATTACK-SUCCEEDED opened a socket")
