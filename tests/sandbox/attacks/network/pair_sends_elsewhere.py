# goal: send from one of a pair of sockets, which are allowed, to a named socket
# success: reaches unix_datagram
# held_by: calls:socket pairs
import json
import socket

path = json.load(open("target.json"))["unix_datagram"]
one, _ = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)
one.sendto(b"attacked", path)
