// goal: use up the numbers of processes with children that ended and that nobody reaps
// success: says
// held_by: limits:processes
// limits: wall=2 processes=64
#include <stdio.h>
#include <unistd.h>

int main(void) {
	int ended = 0;
	while (ended < 190) {
		int child = fork();
		if (child == 0)
			_exit(0);
		if (child < 0)
			break;
		ended++;
	}
	if (ended > 96)
		printf("ATTACK-SUCCEEDED %d zombies\n", ended);
	return 0;
}
