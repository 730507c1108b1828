# goal: send a secret to a server: a datagram
# success: reaches udp
# held_by: calls:sockets
import json
import socket

port = json.load(open("target.json"))["udp"]
socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b"attacked", ("127.0.0.1", port))
