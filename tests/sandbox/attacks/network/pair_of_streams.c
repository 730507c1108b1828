// goal: the same with a pair of streams or of packets: close one end, and connect the other anew
// success: reaches unix
// held_by: calls:socket use
// no_control: the kernel refuses to connect such a socket twice, whether its other end is there or not
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

int main(void) {
	char text[8192] = {0};
	fread(text, 1, sizeof text - 1, fopen("target.json", "r"));
	struct sockaddr_un there = {.sun_family = AF_UNIX};
	sscanf(strstr(text, "\"unix\": \"") + 9, "%107[^\"]", there.sun_path);
	int kinds[] = {SOCK_STREAM, SOCK_SEQPACKET};
	for (int kind = 0; kind < 2; kind++) {
		int pair[2];
		if (socketpair(AF_UNIX, kinds[kind], 0, pair) != 0) {
			perror("socketpair");
			continue;
		}
		close(pair[1]);
		struct sockaddr nowhere = {.sa_family = AF_UNSPEC};
		connect(pair[0], &nowhere, sizeof nowhere);
		if (connect(pair[0], (struct sockaddr *)&there, sizeof there) != 0)
			perror("connect");
		else
			write(pair[0], "attacked", 8);
		if (sendto(pair[0], "attacked", 8, MSG_NOSIGNAL, (struct sockaddr *)&there, sizeof there) < 0)
			perror("sendto");
	}
	return 0;
}
