// goal: open a socket and connect it without the calls that are filtered: io_uring
// success: reaches tcp
// held_by: calls:io_uring + landlock_network
#include <arpa/inet.h>
#include <linux/io_uring.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

static int ring;
static struct io_uring_params parameters;
static char *queue, *done;
static struct io_uring_sqe *entries;

static int asked(struct io_uring_sqe entry) {
	unsigned *tail = (unsigned *)(queue + parameters.sq_off.tail);
	unsigned *array = (unsigned *)(queue + parameters.sq_off.array);
	unsigned place = *tail & *(unsigned *)(queue + parameters.sq_off.ring_mask);
	entries[place] = entry;
	array[place] = place;
	__atomic_store_n(tail, *tail + 1, __ATOMIC_RELEASE);
	if (syscall(SYS_io_uring_enter, ring, 1, 1, IORING_ENTER_GETEVENTS, NULL, 0) < 0)
		return -1;
	unsigned *head = (unsigned *)(done + parameters.cq_off.head);
	struct io_uring_cqe *results = (struct io_uring_cqe *)(done + parameters.cq_off.cqes);
	int result = results[*head & *(unsigned *)(done + parameters.cq_off.ring_mask)].res;
	__atomic_store_n(head, *head + 1, __ATOMIC_RELEASE);
	return result;
}

int main(void) {
	char text[8192] = {0};
	fread(text, 1, sizeof text - 1, fopen("target.json", "r"));
	ring = syscall(SYS_io_uring_setup, 4, &parameters);
	if (ring < 0) {
		perror("io_uring_setup");
		return 1;
	}
	queue = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, ring, IORING_OFF_SQ_RING);
	done = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, ring, IORING_OFF_CQ_RING);
	entries = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, ring, IORING_OFF_SQES);
	struct sockaddr_in there = {
		.sin_family = AF_INET,
		.sin_port = htons(atoi(strstr(text, "\"tcp\": ") + 7)),
		.sin_addr.s_addr = inet_addr("127.0.0.1")};
	// 45 is IORING_OP_SOCKET, which older headers lack.
	int made = asked((struct io_uring_sqe){.opcode = 45, .fd = AF_INET, .off = SOCK_STREAM});
	int connected = asked((struct io_uring_sqe){
		.opcode = IORING_OP_CONNECT, .fd = made, .addr = (unsigned long)&there, .off = sizeof there});
	printf("socket %d, connect %d\n", made, connected);
	return 0;
}
