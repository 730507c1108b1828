# goal: write into the log of the machine: a datagram to a unix socket
# success: reaches unix_datagram
# held_by: calls:sockets
import json
import socket

path = json.load(open("target.json"))["unix_datagram"]
socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM).sendto(b"<13>attacked", path)
