# goal: connect to a unix socket, such as that of the Docker engine, which owns the machine
# success: says
# promise: network
# held_by: calls:sockets + calls:socket use
import json
import socket

path = json.load(open("target.json"))["unix"]
with socket.socket(socket.AF_UNIX) as made:
    made.connect(path)
    print(f"ATTACK-SUCCEEDED connected to {path}")
