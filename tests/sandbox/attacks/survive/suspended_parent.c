// goal: go on after the end in a child for which its parent waits inside the kernel: vfork
// success: outlives
// held_by: always:kill
// limits: wall=1
#define _GNU_SOURCE
#include <unistd.h>

int main(void) {
	if (fork() != 0)
		return 0;
	setsid();
	for (int stream = 0; stream < 3; stream++)
		close(stream);
	if (vfork() == 0) {
		sleep(5);
		_exit(0);
	}
	return 0;
}
