// goal: lock every other byte of many files: each lock is memory of the kernel, and nothing counts them
// success: exceeds kernel
// held_by: watch
// polled: yes
// alone: yes
// limits: wall=6 cpu=8
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

enum { PROCESSES = 40, FILES = 50, LOCKS = 1500 };

int main(void) {
	for (int child = 0; child < PROCESSES; child++)
		if (fork() == 0) {
			for (int number = 0; number < FILES; number++) {
				char name[40];
				snprintf(name, sizeof name, "f%d-%d", child, number);
				int file = open(name, O_CREAT | O_RDWR, 0600);
				// From the end to the start: the list is sorted, and so each finds its place at once.
				for (long place = LOCKS; place > 0; place--) {
					struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = 2 * place, .l_len = 1};
					if (fcntl(file, F_SETLK, &lock) != 0)
						break;
				}
			}
			sleep(6);
			_exit(0);
		}
	sleep(6);
	return 0;
}
