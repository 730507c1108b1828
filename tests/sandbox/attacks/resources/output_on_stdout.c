// goal: print until the memory of whoever reads it is full
// success: exceeds output
// held_by: always:streams
// limits: wall=3
#include <string.h>
#include <unistd.h>

int main(void) {
	static char block[1 << 20];
	memset(block, 'x', sizeof block);
	for (int part = 0; part < 200; part++)
		if (write(1, block, sizeof block) < 0)
			return 1;
	return 0;
}
