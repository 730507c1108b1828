// goal: be root in a user namespace of its own: clone
// success: says
// held_by: calls:namespaces by clone
#define _GNU_SOURCE
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

int main(void) {
	long child = syscall(SYS_clone, CLONE_NEWUSER | SIGCHLD, 0, 0, 0, 0);
	if (child == 0)
		_exit(0);
	if (child < 0) {
		perror("clone");
		return 1;
	}
	waitpid(child, NULL, 0);
	puts("ATTACK-SUCCEEDED a child in a user namespace");
	return 0;
}
