// goal: signal a thread of the tool: tgkill
// success: signals tool
// held_by: own_uid + landlock_scope + calls:signals to threads
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

int main(void) {
	char text[8192] = {0};
	fread(text, 1, sizeof text - 1, fopen("target.json", "r"));
	int tool = atoi(strstr(text, "\"tool\": ") + 8);
	if (syscall(SYS_tgkill, tool, tool, SIGUSR1) != 0)
		perror("tgkill");
	return 0;
}
