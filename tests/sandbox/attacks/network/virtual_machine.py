# goal: talk to the host of a virtual machine: vsock
# success: says
# held_by: calls:sockets
import socket

with socket.socket(socket.AF_VSOCK, socket.SOCK_STREAM):
    print("ATTACK-SUCCEEDED opened a vsock")
