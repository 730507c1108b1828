# goal: talk to the kernel about the network: interfaces, routes, firewall
# success: says
# promise: network
# held_by: calls:sockets
import socket

with socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 0):
    print("ATTACK-SUCCEEDED opened a netlink socket")
