// goal: put a filter that allows everything over the one that is there
// success: reaches udp
// held_by: calls:sockets
#include <arpa/inet.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

int main(void) {
	char text[8192] = {0};
	fread(text, 1, sizeof text - 1, fopen("target.json", "r"));
	struct sock_filter allow = {BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ALLOW};
	struct sock_fprog program = {1, &allow};
	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	if (syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program) != 0)
		perror("seccomp");
	struct sockaddr_in there = {
		.sin_family = AF_INET,
		.sin_port = htons(atoi(strstr(text, "\"udp\": ") + 7)),
		.sin_addr.s_addr = inet_addr("127.0.0.1")};
	int made = socket(AF_INET, SOCK_DGRAM, 0);
	if (made < 0 || sendto(made, "attacked", 8, 0, (struct sockaddr *)&there, sizeof there) < 0)
		perror("socket");
	return 0;
}
