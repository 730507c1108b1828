// goal: go on after the end under a new number every few microseconds, so that no list of processes shows it
// success: outlives
// held_by: always:kill
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
	if (fork() != 0)
		return 0;
	setsid();
	for (int stream = 0; stream < 3; stream++)
		close(stream);
	while (now() < start + 0.8)
		if (fork() > 0)
			_exit(0);
	// Now it may be seen.
	sleep(5);
	return 0;
}
