/* SPDX-License-Identifier: Apache-2.0 */
/* Loads libraries, each with an OpenMP runtime of its own, runs them, unloads them. A thread is
   older than they are. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static void *libraries[8];

static void *older(void *unused) {
    pause();
    return unused;
}

__attribute__((noinline)) static void loaded(void) {
    __asm__ volatile("");
}

__attribute__((noinline)) static void unloaded(void) {
    __asm__ volatile("");
}

/* Every library but the first has a namespace of its own: else the linker would
   take the runtime that is there already. */
static void *load(const char *file, int first) {
    void *library = dlmopen(first ? LM_ID_BASE : LM_ID_NEWLM, file, RTLD_NOW);
    if (library == NULL) {
        fprintf(stderr, "%s\n", dlerror());
        exit(2);
    }
    return library;
}

int main(int argc, char **argv) {
    pthread_t thread;
    pthread_create(&thread, NULL, older, NULL);
    for (int i = 1; i < argc; i++)
        libraries[i] = load(argv[i], i == 1);
    loaded();
    for (int i = 1; i < argc; i++) {
        int (*run)(void) = (int (*)(void))dlsym(libraries[i], "plugin_run");
        if (run() != 5)
            return 1;
    }
    for (int i = argc - 1; i > 0; i--)
        dlclose(libraries[i]);
    unloaded();
    return 0;
}
