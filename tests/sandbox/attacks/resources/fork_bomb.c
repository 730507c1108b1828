// goal: start more processes than the machine can bear
// success: exceeds processes
// held_by: limits:processes + watch
// limits: wall=2 processes=64
#include <stdio.h>
#include <unistd.h>

int main(void) {
	int started = 0;
	while (started < 190) {
		int child = fork();
		if (child == 0) {
			sleep(5);
			_exit(0);
		}
		if (child < 0)
			break;
		started++;
	}
	printf("%d processes\n", started);
	fflush(stdout);
	sleep(5);
	return 0;
}
