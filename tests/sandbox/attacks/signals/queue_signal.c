// goal: queue a signal with a value for the tool: rt_sigqueueinfo
// success: signals tool
// held_by: own_uid + landlock_scope + calls:signals with a value
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
	siginfo_t info = {.si_code = SI_QUEUE};
	if (syscall(SYS_rt_sigqueueinfo, tool, SIGUSR1, &info) != 0)
		perror("rt_sigqueueinfo");
	return 0;
}
