// goal: have a timer send signals to a thread of the tool
// success: signals tool
// held_by: own_uid
// no_control: the kernel takes threads of the same process only
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

int main(void) {
	char text[8192] = {0};
	fread(text, 1, sizeof text - 1, fopen("target.json", "r"));
	struct sigevent event = {.sigev_notify = SIGEV_THREAD_ID, .sigev_signo = SIGUSR1};
	event._sigev_un._tid = atoi(strstr(text, "\"tool\": ") + 8);
	timer_t timer;
	if (timer_create(CLOCK_MONOTONIC, &event, &timer) != 0) {
		perror("timer_create");
		return 1;
	}
	struct itimerspec soon = {.it_value.tv_nsec = 1000000};
	timer_settime(timer, 0, &soon, NULL);
	usleep(50000);
	return 0;
}
