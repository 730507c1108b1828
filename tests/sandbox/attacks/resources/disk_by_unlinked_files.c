// goal: fill the disk with files that have no name any more
// success: exceeds disk
// held_by: watch
// polled: yes
// alone: yes
// limits: wall=4 scratch=48M
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

int main(void) {
	static char block[1 << 20];
	memset(block, 1, sizeof block);
	for (int number = 0; number < 25; number++) {
		char name[20];
		snprintf(name, sizeof name, "f%d", number);
		int file = open(name, O_CREAT | O_RDWR, 0600);
		unlink(name);
		for (int part = 0; part < 10; part++)
			if (write(file, block, sizeof block) < 0)
				break;
	}
	sleep(3);
	return 0;
}
