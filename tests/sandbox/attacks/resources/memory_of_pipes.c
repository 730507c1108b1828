// goal: fill pipes that were made as large as they get: memory of the kernel, which shows in no process
// success: exceeds kernel
// held_by: own_uid
// needs: root
// polled: yes
// alone: yes
// limits: wall=4
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

enum { PROCESSES = 25, PIPES = 28, SIZE = 1 << 20 };

int main(void) {
	static char block[SIZE];
	for (int child = 0; child < PROCESSES; child++)
		if (fork() == 0) {
			for (int number = 0; number < PIPES; number++) {
				int ends[2];
				if (pipe2(ends, O_NONBLOCK) != 0)
					break;
				fcntl(ends[1], F_SETPIPE_SZ, SIZE);
				while (write(ends[1], block, sizeof block) > 0)
					;
			}
			sleep(3);
			_exit(0);
		}
	sleep(3);
	return 0;
}
