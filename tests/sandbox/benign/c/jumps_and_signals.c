/* setjmp, longjmp out of a handler, an alarm. */
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static jmp_buf back;
static sigjmp_buf after;
static volatile sig_atomic_t rung;

static void deep(int n) {
    if (n == 0)
        longjmp(back, 42);
    deep(n - 1);
}

static void caught(int number) { siglongjmp(after, number); }
static void ring(int number) { rung = number; }
static void bye(void) { puts("bye"); }

int main(void) {
    atexit(bye);
    int value = setjmp(back);
    if (value == 0)
        deep(100);
    printf("%d\n", value);
    signal(SIGSEGV, caught);
    int number = sigsetjmp(after, 1);
    if (number == 0)
        *(volatile int *)8 = 1;
    printf("%d\n", number == SIGSEGV);
    signal(SIGALRM, ring);
    ualarm(10000, 0);
    while (!rung)
        pause();
    printf("%d\n", rung == SIGALRM);
    return 0;
}
