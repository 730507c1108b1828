// goal: start more threads than there may be processes
// success: exceeds processes
// held_by: limits:processes + watch
// limits: wall=2 processes=64
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static void *wait_long(void *nothing) {
	sleep(5);
	return nothing;
}

int main(void) {
	int started = 0;
	pthread_attr_t small;
	pthread_attr_init(&small);
	pthread_attr_setstacksize(&small, 65536);
	for (pthread_t thread; started < 190; started++)
		if (pthread_create(&thread, &small, wait_long, NULL) != 0)
			break;
	printf("%d threads\n", started);
	fflush(stdout);
	sleep(5);
	return 0;
}
