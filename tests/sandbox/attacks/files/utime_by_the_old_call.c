// goal: as utime_workspace, by the calls of old systems
// success: changes secret_file
// held_by: own_uid + read_only_mounts + calls:times by path
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

int main(void) {
    static char json[8192];
    FILE *file = fopen("target.json", "r");
    json[fread(json, 1, sizeof json - 1, file)] = 0;
    char *path = strstr(json, "\"secret_file\": \"") + 16;
    *strchr(path, '"') = 0;
#ifdef SYS_utime
    long times[2] = {1, 1};
    if (syscall(SYS_utime, path, times)) perror("utime");
#else
    puts("arm64 never had it");
#endif
}
