// goal: be root in a user namespace of its own: clone3, whose flags lie in memory
// success: says
// held_by: calls:clone3
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { CLONE3 = 435, NEW_USER = 0x10000000 };

int main(void) {
	uint64_t arguments[8] = {NEW_USER, 0, 0, 0, SIGCHLD};
	long child = syscall(CLONE3, arguments, sizeof arguments);
	if (child == 0)
		_exit(0);
	if (child < 0) {
		perror("clone3");
		return 1;
	}
	waitpid(child, NULL, 0);
	puts("ATTACK-SUCCEEDED a child in a user namespace");
	return 0;
}
