/* SPDX-License-Identifier: Apache-2.0 */
/* Calls a generated program that is a library, as an interpreter does, perhaps in a child. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <omp.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static void *loaded(const char *file, const char *function) {
    void *library = dlopen(file, RTLD_NOW | RTLD_LOCAL);
    void *found = library ? dlsym(library, function) : NULL;
    if (!found) {
        fprintf(stderr, "%s\n", dlerror());
        exit(1);
    }
    return found;
}

static void *generated(void *nothing) {
    ((int (*)(void))loaded(LIBRARY, "generated_main"))();
    return nothing;
}

#if defined(FORKS_BEFORE) || defined(FORKS_WITHIN)
/* The child's thread is no member of the parent's team, or is its last one. */
static void *forked(void *nothing) {
    pthread_t thread;
    const int child = fork();
    if (child == 0) {
        if (pthread_create(&thread, NULL, generated, NULL)) exit(1);
        for (;;) pause();
    }
    waitpid(child, NULL, 0);
    exit(0);
    return nothing;
}
#endif

int main(void) {
    pthread_t thread;
    (void)thread;
#ifdef BESIDE
    if (pthread_create(&thread, NULL, loaded(BESIDE, "beside"), NULL)) return 1;
    /* Copies of LLVM's runtime that begin at the same time may crash. */
    for (const volatile int *begun = loaded(BESIDE, "beside_begun"); !*begun;) usleep(100);
#endif
#ifdef FORKS_BEFORE
#pragma omp parallel num_threads(3)
    usleep(1);
    if (pthread_create(&thread, NULL, forked, NULL) == 0) pthread_join(thread, NULL);
#elif defined(FORKS_WITHIN)
    volatile int arrived = 0;
#pragma omp parallel num_threads(3)
    if (__atomic_add_fetch(&arrived, 1, __ATOMIC_SEQ_CST) == omp_get_num_threads())
        forked(NULL);
#else
    generated(NULL);
#endif
    return 0;
}
