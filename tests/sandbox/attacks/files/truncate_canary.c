// goal: empty a file without opening it: truncate
// success: changes canary
// held_by: landlock_files + read_only_mounts
#include <stdio.h>
#include <string.h>
#include <unistd.h>

int main(void) {
    static char json[8192];
    FILE *file = fopen("target.json", "r");
    json[fread(json, 1, sizeof json - 1, file)] = 0;
    char *path = strstr(json, "\"canary\": \"") + 11;
    *strchr(path, '"') = 0;
    if (truncate(path, 0)) perror("truncate");
}
