// goal: go on after the end as another program, started by a thread that is not the first
// success: outlives
// held_by: always:kill
#include <pthread.h>
#include <unistd.h>

static void *execute(void *nothing) {
	execl("/bin/sleep", "sleep", "5", NULL);
	return nothing;
}

int main(void) {
	if (fork() != 0) {
		usleep(100000);
		return 0;
	}
	setsid();
	for (int stream = 0; stream < 3; stream++)
		close(stream);
	pthread_t thread;
	pthread_create(&thread, NULL, execute, NULL);
	pthread_exit(NULL);
}
