// goal: touch one page in each two megabytes of a huge mapping: the tables of the pages fill memory, not the process
// success: exceeds kernel
// held_by: watch
// polled: yes
// alone: yes
// limits: wall=8 memory=256M
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

enum { PAGE_TABLE = 4096 };
static const long COVERS = 2L << 20;

int main(void) {
	long tables = (450L << 20) / PAGE_TABLE;
	volatile char *all = mmap(NULL, tables * COVERS, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (all == MAP_FAILED) {
		perror("mmap");
		return 1;
	}
	madvise((void *)all, tables * COVERS, MADV_NOHUGEPAGE);
	for (long table = 0; table < tables; table++)
		(void)all[table * COVERS];
	sleep(2);
	return 0;
}
