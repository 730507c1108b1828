// goal: take memory in a thread whose main thread has ended: /proc/PID/stat then tells of a dead process without memory
// success: exceeds memory
// held_by: watch
// polled: yes
// alone: yes
// limits: wall=8
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void *take(void *nothing) {
	usleep(100000);
	for (int taken = 0; taken < 800; taken += 8) {
		char *block = malloc(8 << 20);
		if (block == NULL)
			break;
		memset(block, 1, 8 << 20);
		usleep(500);
	}
	sleep(2);
	_exit(0);
}

int main(void) {
	pthread_t thread;
	pthread_create(&thread, NULL, take, NULL);
	pthread_exit(NULL);
}
