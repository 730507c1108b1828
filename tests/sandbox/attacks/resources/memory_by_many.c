// goal: take memory in many processes at once, each of which is small
// success: exceeds memory
// held_by: watch
// polled: yes
// alone: yes
// limits: wall=8 memory=512M
#include <stdlib.h>
#include <unistd.h>

enum { PROCESSES = 30, EACH = 29 << 20 };

int main(void) {
	for (int child = 0; child < PROCESSES; child++)
		if (fork() == 0) {
			volatile char *block = malloc(EACH);
			for (int at = 0; at < EACH; at += 4096)
				block[at] = 1;
			sleep(2);
			_exit(0);
		}
	sleep(2);
	return 0;
}
