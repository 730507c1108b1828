// goal: have the kernel ask oneself about each call, and answer that it may go on
// success: reaches udp
// held_by: calls:sockets
#include <arpa/inet.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

static int listener;

static void *judge(void *nothing) {
	for (;;) {
		struct seccomp_notif asked = {0};
		if (ioctl(listener, SECCOMP_IOCTL_NOTIF_RECV, &asked) != 0)
			return nothing;
		struct seccomp_notif_resp answer = {.id = asked.id, .flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE};
		ioctl(listener, SECCOMP_IOCTL_NOTIF_SEND, &answer);
	}
}

int main(void) {
	char text[8192] = {0};
	fread(text, 1, sizeof text - 1, fopen("target.json", "r"));
	pthread_t thread;
	struct sock_filter ask[] = {
		{BPF_LD | BPF_W | BPF_ABS, 0, 0, offsetof(struct seccomp_data, nr)},
		{BPF_JMP | BPF_JEQ | BPF_K, 0, 1, SYS_socket},
		{BPF_RET | BPF_K, 0, 0, SECCOMP_RET_USER_NOTIF},
		{BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ALLOW},
	};
	struct sock_fprog program = {4, ask};
	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	listener = syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_NEW_LISTENER, &program);
	if (listener < 0)
		perror("seccomp");
	else
		pthread_create(&thread, NULL, judge, NULL);
	struct sockaddr_in there = {
		.sin_family = AF_INET,
		.sin_port = htons(atoi(strstr(text, "\"udp\": ") + 7)),
		.sin_addr.s_addr = inet_addr("127.0.0.1")};
	int made = socket(AF_INET, SOCK_DGRAM, 0);
	if (made < 0 || sendto(made, "attacked", 8, 0, (struct sockaddr *)&there, sizeof there) < 0)
		perror("socket");
	return 0;
}
