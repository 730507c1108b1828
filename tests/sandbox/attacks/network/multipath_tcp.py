# goal: connect by another protocol that arrives as TCP, which a rule on TCP need not know: multipath TCP
# success: reaches tcp
# held_by: calls:sockets + calls:socket use
import json
import socket

port = json.load(open("target.json"))["tcp"]
with socket.socket(socket.AF_INET, socket.SOCK_STREAM, 262) as made:
    made.connect(("127.0.0.1", port))
    made.sendall(b"attacked")
