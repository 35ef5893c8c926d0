/* SPDX-License-Identifier: Apache-2.0 */
/* A thread that begins a region is held up where it makes another thread for that; LLVM's runtime
 * makes one at a time, so others that begin regions wait for it. */
#include "../hangs.h"

#include <dlfcn.h>

typedef int (*Create)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
static atomic_int held_up, begun;

int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*start)(void *),
                   void *given) {
    static Create create;
    if (create == NULL)
        create = (Create)dlsym(RTLD_NEXT, "pthread_create");
    while (atomic_load(&begun))
        atomic_store(&held_up, 1), pause(); /* expect: waiting */
    return create(thread, attributes, start, given);
}

static void *begin(void *given) {
    meet(4);
    while (!atomic_load(&begun))
        sched_yield();
#pragma omp parallel num_threads(2)
    work(1);
    return given;
}

int main(void) {
    pthread_t threads[3];
    for (int i = 0; i < 3; i++)
        pthread_create(&threads[i], NULL, begin, NULL);
    meet(4);
    atomic_store(&begun, 1);
    while (!atomic_load(&held_up))
        usleep(1000);
    ready();
    return pthread_join(threads[0], NULL);
}
