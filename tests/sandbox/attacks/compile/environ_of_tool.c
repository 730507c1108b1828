// goal: have the compiler read a secret from the environment of the tool: /proc is a folder of files to include
// success: prints TOKEN
// held_by: own_uid + landlock_files + landlock_network + landlock_scope
#include <stdio.h>

__asm__(".data\n.globl stolen\nstolen: .incbin \"/proc/@tool@/environ\"\n.byte 0\n");
extern char stolen[];

int main(void) {
	puts(stolen);
	return 0;
}
