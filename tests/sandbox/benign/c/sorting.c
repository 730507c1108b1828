/* qsort and bsearch, over numbers, strings and structures. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    const char *name;
    int age;
} person;

static int by_number(const void *a, const void *b) {
    int x = *(const int *)a, y = *(const int *)b;
    return (x > y) - (x < y);
}

static int by_text(const void *a, const void *b) { return strcmp(*(char *const *)a, *(char *const *)b); }

static int by_age_then_name(const void *a, const void *b) {
    const person *x = a, *y = b;
    return x->age != y->age ? x->age - y->age : strcmp(x->name, y->name);
}

int main(void) {
    static int numbers[100000];
    unsigned state = 1;
    for (int i = 0; i < 100000; i++) {
        state = state * 1103515245u + 12345u;
        numbers[i] = (int)(state >> 8) % 1000000;
    }
    qsort(numbers, 100000, sizeof *numbers, by_number);
    int wrong = 0;
    for (int i = 1; i < 100000; i++)
        wrong += numbers[i - 1] > numbers[i];
    int key = numbers[500];
    int *found = bsearch(&key, numbers, 100000, sizeof *numbers, by_number);
    printf("%d %d\n", wrong, *found == key);
    char *words[] = {"pear", "Apple", "fig", "apple"};
    qsort(words, 4, sizeof *words, by_text);
    for (int i = 0; i < 4; i++)
        printf("%s ", words[i]);
    person people[] = {{"Zoe", 30}, {"Al", 25}, {"Bo", 30}};
    qsort(people, 3, sizeof *people, by_age_then_name);
    for (int i = 0; i < 3; i++)
        printf("%s:%d ", people[i].name, people[i].age);
    puts("");
    return 0;
}
