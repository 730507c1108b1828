// goal: mount something over a folder, in a namespace of its own
// success: says
// held_by: calls:mounts + calls:namespaces + landlock_files
#define _GNU_SOURCE
#include <sched.h>
#include <stdio.h>
#include <sys/mount.h>
#include <sys/stat.h>

int main(void) {
	mkdir("over", 0700);
	if (unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0) {
		perror("unshare");
	} else if (mount("none", "over", "tmpfs", 0, "size=64k") != 0) {
		perror("mount");
	} else {
		puts("ATTACK-SUCCEEDED mounted a file system");
	}
	return 0;
}
