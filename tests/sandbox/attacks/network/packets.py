# goal: read everything that goes over the network: a packet socket
# success: says
# held_by: calls:sockets + own_uid
# needs: root
import socket

with socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(3)):
    print("ATTACK-SUCCEEDED sees every packet")
