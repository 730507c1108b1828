// goal: use up the inodes with empty files
// success: exceeds entries
// held_by: watch
// polled: yes
// limits: wall=8 entries=4000
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

int main(void) {
	for (int number = 0; number < 30000; number++) {
		char name[30];
		if (number % 1000 == 0) {
			snprintf(name, sizeof name, "d%d", number / 1000);
			mkdir(name, 0700);
		}
		snprintf(name, sizeof name, "d%d/%d", number / 1000, number);
		int file = open(name, O_CREAT | O_WRONLY, 0600);
		if (file >= 0)
			close(file);
	}
	sleep(1);
	return 0;
}
