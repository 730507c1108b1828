// goal: have the assembler put a file of the workspace into the program, which prints it
// success: prints TOKEN
// held_by: landlock_files
#include <stdio.h>

__asm__(".pushsection .data\n.globl stolen\nstolen: .incbin \"@secret_file@\"\n.byte 0\n.popsection\n");
extern char stolen[];

int main(void) {
	puts(stolen);
	return 0;
}
