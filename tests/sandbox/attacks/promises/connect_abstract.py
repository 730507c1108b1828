# goal: connect to an abstract unix socket, which no folder's mode protects
# success: says
# promise: network
# held_by: calls:sockets + calls:socket use + landlock_scope
import json
import socket

name = json.load(open("target.json"))["abstract"]
with socket.socket(socket.AF_UNIX) as made:
    made.connect(b"\0" + name.encode())
    print("ATTACK-SUCCEEDED connected to an abstract socket")
