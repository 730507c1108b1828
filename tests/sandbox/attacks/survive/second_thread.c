// goal: go on after the end in a thread whose main thread has ended, which looks like the remains of a process
// success: outlives
// held_by: always:kill
#include <pthread.h>
#include <unistd.h>

static void *stay(void *nothing) {
	sleep(5);
	_exit(0);
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
	pthread_create(&thread, NULL, stay, NULL);
	pthread_exit(NULL);
}
