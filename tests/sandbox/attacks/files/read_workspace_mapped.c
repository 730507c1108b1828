// goal: read a file of the checkout by mapping it, from C
// success: prints TOKEN
// held_by: landlock_files
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

int main(void) {
    static char json[8192];
    FILE *file = fopen("target.json", "r");
    json[fread(json, 1, sizeof json - 1, file)] = 0;
    char *path = strstr(json, "\"secret_file\": \"") + 16;
    *strchr(path, '"') = 0;
    int descriptor = open(path, O_RDONLY);
    char *text = mmap(0, 4096, PROT_READ, MAP_PRIVATE, descriptor, 0);
    if (text == MAP_FAILED) {
        perror("mmap");
        return 1;
    }
    printf("%.64s\n", text);
}
