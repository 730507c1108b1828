/* pthreads: a mutex, a condition, thread-local storage. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

enum { WORKERS = 8, EACH = 100000 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static long total;
static int finished;
static atomic_long counted;
static _Thread_local long own;

static void *work(void *argument) {
    long step = *(long *)argument;
    for (int i = 0; i < EACH; i++) {
        own += step;
        atomic_fetch_add(&counted, 1);
    }
    pthread_mutex_lock(&lock);
    total += own;
    finished++;
    pthread_cond_signal(&changed);
    pthread_mutex_unlock(&lock);
    return argument;
}

int main(void) {
    pthread_t workers[WORKERS];
    long steps[WORKERS];
    for (int i = 0; i < WORKERS; i++) {
        steps[i] = i;
        if (pthread_create(&workers[i], NULL, work, &steps[i]) != 0)
            return 1;
    }
    pthread_mutex_lock(&lock);
    while (finished < WORKERS)
        pthread_cond_wait(&changed, &lock);
    pthread_mutex_unlock(&lock);
    for (int i = 0; i < WORKERS; i++) {
        void *result;
        pthread_join(workers[i], &result);
        if (result != &steps[i])
            return 2;
    }
    printf("%ld %ld %ld\n", total, atomic_load(&counted), own);
    return 0;
}
