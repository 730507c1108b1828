/* Lines of any length, with getline and scanf. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(void) {
    int count;
    if (scanf("%d\n", &count) != 1)
        return 1;
    double sum = 0, number;
    for (int i = 0; i < count; i++)
        if (scanf("%lf", &number) == 1)
            sum += number;
    printf("%.2f\n", sum);
    char *line = NULL;
    size_t size = 0;
    ssize_t length;
    getline(&line, &size, stdin);
    while ((length = getline(&line, &size, stdin)) > 0) {
        line[strcspn(line, "\n")] = 0;
        for (char *c = line; *c; c++)
            *c = (char)toupper((unsigned char)*c);
        printf("%zd %s\n", length, line);
    }
    free(line);
    return ferror(stdin) != 0;
}
