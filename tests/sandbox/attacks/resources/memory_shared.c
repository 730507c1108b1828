// goal: take memory that counts as shared, and so as nobody's private memory
// success: exceeds memory
// held_by: watch
// polled: yes
// alone: yes
// limits: wall=8 memory=512M
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int main(void) {
	long size = 900L << 20;
	char *all = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (all == MAP_FAILED)
		return 1;
	memset(all, 1, size);
	sleep(2);
	return 0;
}
