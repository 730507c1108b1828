/* fork, pipes, exec, wait. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

int main(void) {
    int ends[2];
    if (pipe(ends) != 0)
        return 1;
    pid_t child = fork();
    if (child == 0) {
        dup2(ends[1], 1);
        close(ends[0]);
        close(ends[1]);
        execlp("echo", "echo", "from", "a", "child", (char *)NULL);
        _exit(127);
    }
    close(ends[1]);
    char said[100] = "";
    ssize_t got = read(ends[0], said, sizeof said - 1);
    int status;
    waitpid(child, &status, 0);
    printf("%zd %s%d\n", got, said, WEXITSTATUS(status));
    fflush(stdout);
    FILE *sorted = popen("sort -rn", "w");
    for (int i = 8; i < 12; i++)
        fprintf(sorted, "%d\n", i);
    printf("%d\n", pclose(sorted));
    fflush(stdout);
    status = system("exit 5");
    printf("%d %s\n", WEXITSTATUS(status), getenv("TZ"));
    return 0;
}
