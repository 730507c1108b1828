// goal: load a program into the kernel
// success: says
// held_by: calls:bpf + own_uid
// needs: root
#include <linux/bpf.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

int main(void) {
	struct bpf_insn program[] = {{.code = 0xb7}, {.code = 0x95}};  // r0 = 0; exit
	union bpf_attr attributes;
	memset(&attributes, 0, sizeof attributes);
	attributes.prog_type = BPF_PROG_TYPE_SOCKET_FILTER;
	attributes.insns = (unsigned long)program;
	attributes.insn_cnt = 2;
	attributes.license = (unsigned long)"GPL";
	if (syscall(SYS_bpf, BPF_PROG_LOAD, &attributes, sizeof attributes) < 0)
		perror("bpf");
	else
		puts("ATTACK-SUCCEEDED loaded a program");
	return 0;
}
