# goal: send a datagram: a question to a name server can carry any secret
# success: says
# promise: network
# held_by: calls:sockets
import json
import socket

port = json.load(open("target.json"))["udp"]
with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as made:
    made.sendto(b"attacked", ("127.0.0.1", port))
    print(f"ATTACK-SUCCEEDED sent a datagram to port {port}")
