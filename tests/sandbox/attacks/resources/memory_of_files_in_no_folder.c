// goal: write files that lie in memory and in no folder: memfd_create
// success: exceeds memory
// held_by: calls:hidden memory + watch
// alone: yes
// limits: wall=3
#define _GNU_SOURCE
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int main(void) {
	static char block[1 << 20];
	memset(block, 1, sizeof block);
	for (int number = 0; number < 13; number++) {
		int file = memfd_create("x", 0);
		if (file < 0) {
			perror("memfd_create");
			return 1;
		}
		for (int part = 0; part < 60; part++)
			if (write(file, block, sizeof block) < 0)
				return 1;
	}
	sleep(2);
	return 0;
}
