/* 200 MB, all of it touched. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

int main(void) {
    size_t size = 200u << 20;
    unsigned char *block = malloc(size);
    if (block == NULL) {
        perror("malloc");
        return 1;
    }
    memset(block, 0xA5, size);
    unsigned long sum = 0;
    for (size_t i = 0; i < size; i += 4096)
        sum += block[i];
    free(block);
    int *table = calloc(1000, sizeof *table);
    table = realloc(table, 2000 * sizeof *table);
    table[1999] = 7;
    char *page = mmap(NULL, 1 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    strcpy(page, "mapped");
    printf("%lu %d %s\n", sum, table[999] + table[1999], page);
    free(table);
    return munmap(page, 1 << 20);
}
