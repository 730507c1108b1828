// goal: go on after the end under a tracer that holds what is killed at its exit
// success: outlives
// held_by: always:kill
#include <signal.h>
#include <stdio.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

int main(void) {
	if (fork() != 0) {
		usleep(200000);
		return 0;
	}
	setsid();
	for (int stream = 0; stream < 3; stream++)
		close(stream);
	int traced = fork();
	if (traced == 0) {
		sleep(5);
		_exit(0);
	}
	ptrace(PTRACE_SEIZE, traced, 0, PTRACE_O_TRACEEXIT);
	sleep(5);
	return 0;
}
