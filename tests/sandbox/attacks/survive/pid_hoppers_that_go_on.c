// goal: keep the tool busy with killing: many processes become others for longer than it looks
// success: stalls
// held_by: own_uid + calls:leaving the group
// alone: yes
// limits: wall=1
#include <signal.h>
#include <time.h>
#include <unistd.h>

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec + time.tv_nsec / 1e9;
}

int main(void) {
    double start = now();
    signal(SIGCHLD, SIG_IGN);
    for (int hopper = 0; hopper < 25; hopper++)
        if (fork() == 0) {
            for (int stream = 0; stream < 3; stream++) close(stream);
            while (now() < start + 8) {
                setsid();
                if (fork() > 0) _exit(0);
            }
            _exit(0);
        }
    usleep(100000);
}
