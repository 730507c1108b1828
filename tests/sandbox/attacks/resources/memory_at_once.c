// goal: take memory in one call, faster than anybody looks
// success: exceeds memory
// held_by: limits:private memory + watch
// polled: yes
// alone: yes
// limits: wall=8 memory=192M reserve=224M
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

int main(void) {
	long size = 850L << 20;
	char *all = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (all == MAP_FAILED) {
		perror("mmap");
		return 1;
	}
	madvise(all, size, MADV_HUGEPAGE);
	madvise(all, size, 23 /* MADV_POPULATE_WRITE */);
	sleep(2);
	return 0;
}
