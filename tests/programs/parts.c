/* SPDX-License-Identifier: Apache-2.0 */
/* A thread of a team of two in sem_wait(), which its function has ended with a jump to, and one
   that calls sin() once the kernel says that the other sleeps: libraries have them in several
   parts. */
#include <math.h>
#include <omp.h>
#include <semaphore.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

static sem_t given;
static volatile int waiter;
static volatile double angle = 0.5;

__attribute__((noinline)) static int take(int way) {
    switch (way) {
    case 0:
        return sem_trywait(&given);
    case 1:
        return sem_post(&given);
    default:
        return sem_wait(&given);
    }
}

static int sleeps(int thread) {
    char name[64], state = 0;
    snprintf(name, sizeof name, "/proc/self/task/%d/stat", thread);
    FILE *file = fopen(name, "r");
    if (file == NULL || fscanf(file, "%*d %*s %c", &state) != 1)
        state = 0;
    if (file != NULL)
        fclose(file);
    return state == 'S';
}

int main(void) {
    sem_init(&given, 0, 0);
#pragma omp parallel num_threads(2)
    if (omp_get_thread_num() == 1) {
        waiter = (int)syscall(SYS_gettid);
        take(omp_get_num_threads());
    } else {
        while (waiter == 0 || !sleeps(waiter))
            usleep(1000);
        angle = sin(angle);
        sem_post(&given);
    }
    return angle > 1;
}
