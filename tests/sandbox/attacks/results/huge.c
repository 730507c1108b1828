// goal: fill the memory of the tool: the result file is as large as may be, and takes no space
// success: collects MORE
// held_by: always:collecting
// collect: result.txt
#include <fcntl.h>
#include <unistd.h>

int main(void) { return ftruncate(open("result.txt", O_CREAT | O_WRONLY, 0644), 60 << 20); }
