# goal: connect in the act of sending, where a rule on connect() does not look: TCP fast open
# success: reaches tcp
# held_by: calls:sockets
import json
import socket

port = json.load(open("target.json"))["tcp"]
socket.socket().sendto(b"attacked", socket.MSG_FASTOPEN, ("127.0.0.1", port))
