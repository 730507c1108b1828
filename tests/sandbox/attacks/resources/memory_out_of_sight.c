// goal: fill shared memory and unmap it page by page: it stays, and no process seems to have it
// success: exceeds memory
// held_by: watch
// polled: yes
// alone: yes
// limits: wall=8
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { MIB = 1 << 20, BLOCK = 8 * MIB };

int main(void) {
	char *all = mmap(NULL, 800L * MIB, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (all == MAP_FAILED)
		return 1;
	for (long at = 0; at < 800L * MIB; at += BLOCK) {
		memset(all + at, 1, BLOCK);
		madvise(all + at, BLOCK, MADV_DONTNEED);
	}
	sleep(2);
	return 0;
}
