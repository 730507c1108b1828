# goal: give orders to the Docker engine, which is root on the machine
# success: reaches unix
# held_by: calls:sockets + calls:socket use
import json
import socket

with socket.socket(socket.AF_UNIX) as made:
    made.connect(json.load(open("target.json"))["unix"])
    made.sendall(b"POST /containers/create HTTP/1.1\r\nHost: docker\r\n\r\n")
