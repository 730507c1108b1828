/* Files: sought in, renamed, listed. */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

int main(void) {
    char name[4096];
    snprintf(name, sizeof name, "%s/c-XXXXXX", getenv("TMPDIR"));
    FILE *file = fdopen(mkstemp(name), "w+b");
    if (file == NULL) {
        perror(name);
        return 1;
    }
    for (int i = 0; i < 1000; i++)
        fwrite(&i, sizeof i, 1, file);
    int number = 0;
    fseek(file, 500 * (long)sizeof number, SEEK_SET);
    size_t got = fread(&number, sizeof number, 1, file);
    printf("%zu %d\n", got, number);
    fclose(file);
    unlink(name);
    mkdir("folder", 0755);
    for (int i = 0; i < 3; i++) {
        char path[32];
        snprintf(path, sizeof path, "folder/%d", i);
        fclose(fopen(path, "w"));
    }
    rename("folder/1", "folder/x");
    unlink("folder/2");
    DIR *folder = opendir("folder");
    int entries = 0;
    for (struct dirent *entry; (entry = readdir(folder)) != NULL;)
        entries += entry->d_name[0] != '.';
    struct stat found;
    int gone = stat("folder/1", &found);
    printf("%d %d %s\n", entries, gone, strerror(errno));
    time_t second = 951782400;
    char text[64];
    strftime(text, sizeof text, "%Y-%m-%d %H:%M:%S %Z", localtime(&second));
    puts(text);
    return 0;
}
