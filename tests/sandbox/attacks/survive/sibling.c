// goal: go on after the end as a child of whoever started this program: CLONE_PARENT
// success: outlives
// held_by: always:kill
#define _GNU_SOURCE
#include <sched.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

int main(void) {
	long child = syscall(SYS_clone, CLONE_PARENT, 0, 0, 0, 0);
	if (child < 0)
		perror("clone");
	if (child != 0)
		return 0;
	for (int stream = 0; stream < 3; stream++)
		close(stream);
	sleep(5);
	return 0;
}
