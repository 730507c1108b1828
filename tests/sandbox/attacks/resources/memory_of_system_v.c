// goal: fill a System V segment and unmap its pages: it stays, and no process seems to have it
// success: exceeds memory
// held_by: calls:memory that outlives the program + watch
// alone: yes
// limits: wall=3
#include <stdio.h>
#include <string.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/shm.h>
#include <unistd.h>

enum { SEGMENT = 8 << 20, SEGMENTS = 100 };

int main(void) {
	for (int number = 0; number < SEGMENTS; number++) {
		int segment = shmget(IPC_PRIVATE, SEGMENT, 0600);
		if (segment < 0) {
			perror("shmget");
			return 1;
		}
		char *here = shmat(segment, NULL, 0);
		// It goes with the last process that has it.
		shmctl(segment, IPC_RMID, NULL);
		memset(here, 1, SEGMENT);
		madvise(here, SEGMENT, MADV_DONTNEED);
	}
	sleep(2);
	return 0;
}
