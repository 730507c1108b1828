# goal: wait for connections: whoever can reach this machine could give orders
# success: says
# promise: network
# held_by: calls:sockets + calls:socket use + landlock_network
import socket

with socket.socket() as made:
    made.bind(("127.0.0.1", 0))
    made.listen()
    print(f"ATTACK-SUCCEEDED listens on port {made.getsockname()[1]}")
