// goal: go on after the end as a child whose end sends no signal, which an ordinary wait does not see
// success: outlives
// held_by: always:kill
#define _GNU_SOURCE
#include <sched.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

int main(void) {
	// No signal number in the flags.
	long child = syscall(SYS_clone, CLONE_FS, 0, 0, 0, 0);
	if (child < 0)
		perror("clone");
	if (child != 0)
		return 0;
	setsid();
	for (int stream = 0; stream < 3; stream++)
		close(stream);
	sleep(5);
	return 0;
}
