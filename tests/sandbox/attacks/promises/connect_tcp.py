# goal: connect to a TCP server
# success: says
# promise: network
# held_by: calls:sockets + calls:socket use + landlock_network
import json
import socket

port = json.load(open("target.json"))["tcp"]
with socket.create_connection(("127.0.0.1", port), timeout=2):
    print(f"ATTACK-SUCCEEDED connected to port {port}")
