# goal: send to a named socket from one of a pair that was only connected to itself
# success: says
# promise: network
# held_by: calls:socket pairs
import json
import socket

path = json.load(open("target.json"))["unix_datagram"]
one, _ = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)
one.sendto(b"attacked", path)
print(f"ATTACK-SUCCEEDED sent a datagram to {path}")
