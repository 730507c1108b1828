// goal: open a socket by the 32-bit call, which has another number: int 0x80
// success: reaches tcp
// held_by: seccomp + landlock_network
#include <arpa/inet.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>

enum { SOCKET = 359, CONNECT = 362 };

static long called(long number, long first, long second, long third) {
	long result = -38;
#ifdef __x86_64__
	__asm__ volatile("int $0x80" : "=a"(result) : "a"(number), "b"(first), "c"(second), "d"(third) : "memory");
#endif
	return (int)result;
}

int main(void) {
	char text[8192] = {0};
	fread(text, 1, sizeof text - 1, fopen("target.json", "r"));
#ifdef __x86_64__
	// Pointers of 32 bits.
	struct sockaddr_in *there =
		mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_32BIT, -1, 0);
	there->sin_family = AF_INET;
	there->sin_port = htons(atoi(strstr(text, "\"tcp\": ") + 7));
	there->sin_addr.s_addr = inet_addr("127.0.0.1");
	long made = called(SOCKET, AF_INET, SOCK_STREAM, 0);
	long connected = called(CONNECT, made, (intptr_t)there, sizeof *there);
	printf("socket %ld, connect %ld\n", made, connected);
#endif
	return 0;
}
