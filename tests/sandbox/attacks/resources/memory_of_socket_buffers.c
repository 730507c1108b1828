// goal: fill the buffers of as many sockets as there may be: memory of the kernel, which shows in no process
// success: exceeds kernel
// held_by: limits:open files
// residual: buffers of the kernel may grow beyond the limit by half a gigabyte; only the limit of a container is exact
// polled: yes
// alone: yes
// limits: wall=4
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>
#include <fcntl.h>

enum { PROCESSES = 30, PAIRS = 300 };
static long budget = 600L << 20;

int main(void) {
	static char block[1 << 16];
	for (int child = 0; child < PROCESSES; child++)
		if (fork() == 0) {
			long mine = budget / PROCESSES;
			for (int number = 0; number < PAIRS && mine > 0; number++) {
				int pair[2];
				if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair) != 0)
					break;
				for (int end = 0; end < 2; end++) {
					fcntl(pair[end], F_SETFL, O_NONBLOCK);
					long sent;
					while (mine > 0 && (sent = write(pair[end], block, sizeof block)) > 0)
						mine -= sent;
				}
			}
			sleep(3);
			_exit(0);
		}
	sleep(3);
	return 0;
}
