// SPDX-License-Identifier: Apache-2.0
/* A profiler as it is preloaded: it stands between a program and what that calls, of the system's
   and of OpenMP's, and has bodies of regions called by a function of its own. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>

static long calls;

#define REAL(name) \
    static __typeof__(name) *real; \
    if (real == NULL) { \
        real = (__typeof__(name) *)dlsym(RTLD_NEXT, #name); \
    } \
    __atomic_add_fetch(&calls, 1, __ATOMIC_RELAXED)

#define AROUND(name, parameters, arguments) \
    void name parameters; \
    void name parameters { \
        REAL(name); \
        real arguments; \
        __atomic_add_fetch(&calls, 1, __ATOMIC_RELAXED); \
    }

int pthread_mutex_lock(pthread_mutex_t *mutex) {
    REAL(pthread_mutex_lock);
    const int result = real(mutex);
    __atomic_add_fetch(&calls, 1, __ATOMIC_RELAXED);
    return result;
}

AROUND(omp_set_lock, (void *lock), (lock))
AROUND(GOMP_barrier, (void), ())
AROUND(GOMP_critical_start, (void), ())
AROUND(GOMP_critical_name_start, (void **word), (word))
AROUND(__kmpc_barrier, (void *place, int number), (place, number))
AROUND(__kmpc_critical, (void *place, int number, void *word), (place, number, word))

struct body {
    void (*function)(void *);
    void *data;
};

static void call_body(void *given) {
    const struct body *const body = given;
    body->function(body->data);
    __atomic_add_fetch(&calls, 1, __ATOMIC_RELAXED);
}

void GOMP_parallel(void (*function)(void *), void *data, unsigned threads, unsigned flags);
void GOMP_parallel(void (*function)(void *), void *data, unsigned threads, unsigned flags) {
    struct body body = {function, data};
    REAL(GOMP_parallel);
    real(call_body, &body, threads, flags);
    __atomic_add_fetch(&calls, 1, __ATOMIC_RELAXED);
}
