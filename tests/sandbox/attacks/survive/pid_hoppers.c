// goal: the same forty times, in sessions of their own: one that is killed is missed by nobody
// success: outlives
// held_by: always:kill
// alone: yes
#include <signal.h>
#include <time.h>
#include <unistd.h>

static double now(void) {
	struct timespec time;
	clock_gettime(CLOCK_MONOTONIC, &time);
	return time.tv_sec + time.tv_nsec / 1e9;
}

int main(void) {
	double start = now();
	signal(SIGCHLD, SIG_IGN);
	for (int hopper = 0; hopper < 40; hopper++)
		if (fork() == 0) {
			for (int stream = 0; stream < 3; stream++)
				close(stream);
			while (now() < start + 0.9) {
				setsid();
				if (fork() > 0)
					_exit(0);
			}
			sleep(5);
			_exit(0);
		}
	usleep(100000);
	return 0;
}
