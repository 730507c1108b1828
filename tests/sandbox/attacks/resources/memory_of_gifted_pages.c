// goal: hold huge pages by one byte of each in a pipe, and unmap them: neither the process nor the pipe seems big
// success: exceeds kernel
// held_by: calls:pages in pipes + watch
// polled: yes
// alone: yes
// limits: wall=6
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <unistd.h>

enum { PIPES = 11, SLOTS = 15 };
static const long HUGE = 2L << 20;

int main(void) {
	long held = 0;
	for (int pipe_number = 0; pipe_number < PIPES; pipe_number++) {
		int ends[2];
		if (pipe(ends) != 0)
			break;
		for (int slot = 0; slot < SLOTS; slot++) {
			char *area = mmap(NULL, 2 * HUGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
			if (area == MAP_FAILED)
				break;
			char *page = (char *)(((uintptr_t)area + HUGE - 1) & ~(HUGE - 1));
			madvise(page, HUGE, MADV_HUGEPAGE);
			memset(page, 1, HUGE);
			struct iovec one = {page, 1};
			if (vmsplice(ends[1], &one, 1, 0) == 1)
				held++;
			else
				perror("vmsplice");
			munmap(area, 2 * HUGE);
		}
	}
	printf("%ld huge pages\n", held);
	fflush(stdout);
	sleep(2);
	return 0;
}
