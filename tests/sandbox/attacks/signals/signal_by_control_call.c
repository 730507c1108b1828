// goal: the same by ioctl, and by a socket
// success: signals tool
// held_by: own_uid + landlock_scope + calls:terminal tricks
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>
#include <asm/sockios.h>

int main(void) {
	char text[8192] = {0};
	fread(text, 1, sizeof text - 1, fopen("target.json", "r"));
	int tool = atoi(strstr(text, "\"tool\": ") + 8);
	int pair[2];
	if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair) != 0)
		return 1;
	if (ioctl(pair[0], FIOSETOWN, &tool) != 0)
		perror("FIOSETOWN");
	if (ioctl(pair[0], SIOCSPGRP, &tool) != 0)
		perror("SIOCSPGRP");
	fcntl(pair[0], F_SETFL, O_ASYNC);
	write(pair[1], "x", 1);
	return 0;
}
