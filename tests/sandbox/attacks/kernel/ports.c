// goal: reach the ports of the machine's hardware: iopl
// success: says
// held_by: calls:the machine + own_uid
// needs: root
// no_control: the kernels we tried it on cannot do that at all
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

int main(void) {
#ifdef SYS_iopl
	if (syscall(SYS_iopl, 3) == 0) {
		puts("ATTACK-SUCCEEDED may use every port");
		return 0;
	}
	perror("iopl");
#endif
	return 0;
}
