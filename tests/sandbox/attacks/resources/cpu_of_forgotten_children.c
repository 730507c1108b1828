// goal: compute in children that nobody waits for: their time is added to nobody's
// success: says
// held_by: watch
// residual: time of children that nobody waits for is seen only while they run; the limit on the clock ends them
// alone: yes
// polled: yes
// limits: wall=9 cpu=1
#include <signal.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

static double used(clockid_t clock) {
	struct timespec now;
	clock_gettime(clock, &now);
	return now.tv_sec + now.tv_nsec / 1e9;
}

int main(void) {
	double total = 0;
	signal(SIGCHLD, SIG_IGN);
	while (total < 2.0) {
		int ends[2];
		pipe(ends);
		if (fork() == 0) {
			while (used(CLOCK_PROCESS_CPUTIME_ID) < 0.012)
				;
			_exit(0);
		}
		close(ends[1]);
		char byte;
		read(ends[0], &byte, 1);
		close(ends[0]);
		total += 0.012;
	}
	printf("ATTACK-SUCCEEDED used %.1f seconds on the processor\n", total);
	return 0;
}
