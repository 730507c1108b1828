// goal: build network packets by hand: a datagram from a raw socket
// success: reaches udp
// held_by: calls:sockets + own_uid
// needs: root
#include <arpa/inet.h>
#include <netinet/ip.h>
#include <netinet/udp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

int main(void) {
	char text[8192] = {0};
	fread(text, 1, sizeof text - 1, fopen("target.json", "r"));
	struct {
		struct udphdr header;
		char data[8];
	} packet = {.data = "attacked"};
	packet.header.uh_sport = htons(5353);
	packet.header.uh_dport = htons(atoi(strstr(text, "\"udp\": ") + 7));
	packet.header.uh_ulen = htons(sizeof packet);
	struct sockaddr_in there = {.sin_family = AF_INET, .sin_addr.s_addr = inet_addr("127.0.0.1")};
	int raw = socket(AF_INET, SOCK_RAW, IPPROTO_UDP);
	if (raw < 0 || sendto(raw, &packet, sizeof packet, 0, (struct sockaddr *)&there, sizeof there) < 0)
		perror("raw socket");
	return 0;
}
