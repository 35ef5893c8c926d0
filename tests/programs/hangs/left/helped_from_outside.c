/* SPDX-License-Identifier: Apache-2.0 */
/* A thread of the team waits for a semaphore, and a thread outside of OpenMP works: it may post it,
 * as a thread that sleeps in the kernel, which it has called without the C library, cannot. */
#include "../hangs.h"

#include <linux/futex.h>
#include <semaphore.h>
#include <sys/syscall.h>

static sem_t done;
static int word;

static void *works(void *given) {
    meet(3);
    for (;;)
        work(1000);
    return given;
}

static void *sleeps(void *given) {
    long result = SYS_futex;
    meet(3);
    register long timeout __asm__("r10") = 0;
    __asm__ volatile("syscall"
                     : "+a"(result)
                     : "D"(&word), "S"(FUTEX_WAIT_PRIVATE), "d"(0), "r"(timeout)
                     : "rcx", "r11", "memory");
    return given;
}

int main(void) {
    pthread_t threads[2];
    sem_init(&done, 0, 0);
    pthread_create(&threads[0], NULL, works, NULL);
    pthread_create(&threads[1], NULL, sleeps, NULL);
    meet(3);
    ready();
#pragma omp parallel num_threads(2)
    if (omp_get_thread_num() == 0)
        sem_wait(&done); /* expect: waiting */
    return 0;
}
