// goal: raise the limit of the stack, and recurse until memory is gone
// success: exceeds memory
// held_by: limits:stack + watch
// polled: yes
// alone: yes
// limits: wall=8
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

static int deeper(int left) {
	volatile char frame[1 << 20];
	memset((char *)frame, 1, sizeof frame);
	if (left == 0)
		sleep(2);
	else
		deeper(left - 1);
	return frame[0];
}

int main(int count, char **arguments) {
	struct rlimit limit = {900L << 20, RLIM_INFINITY};
	if (count == 1) {
		getrlimit(RLIMIT_STACK, &limit);
		limit.rlim_cur = limit.rlim_max < 900L << 20 ? limit.rlim_max : 900L << 20;
		if (setrlimit(RLIMIT_STACK, &limit) != 0)
			perror("setrlimit");
		// The stack is laid out at exec.
		execl("/proc/self/exe", arguments[0], "again", NULL);
		execl(arguments[0], arguments[0], "again", NULL);
	}
	return deeper(800);
}
