# goal: send a secret to a server: TCP
# success: reaches tcp
# held_by: calls:sockets + calls:socket use + landlock_network
import json
import socket

port = json.load(open("target.json"))["tcp"]
with socket.create_connection(("127.0.0.1", port), timeout=2) as made:
    made.sendall(b"attacked")
