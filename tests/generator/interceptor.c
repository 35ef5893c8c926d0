/* SPDX-License-Identifier: Apache-2.0 */
/* Is preloaded and stands before functions of the C library, as profilers and checkers do. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stddef.h>
#include <unistd.h>

static volatile long calls;

extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *old, size_t size);
extern void __libc_free(void *old);

/* Define NAME, which calls the next library's and does something after it: no tail call. */
#define INTERCEPT(TYPE, NAME, PARAMETERS, ...)                                                     \
    TYPE NAME PARAMETERS {                                                                         \
        static TYPE(*next) PARAMETERS;                                                             \
        if (!next) next = (TYPE(*) PARAMETERS)dlsym(RTLD_NEXT, #NAME);                             \
        TYPE done = next(__VA_ARGS__);                                                           \
        calls++;                                                                                   \
        return done;                                                                             \
    }
#define FORWARD(TYPE, NAME, TARGET, PARAMETERS, ...)                                               \
    TYPE NAME PARAMETERS {                                                                         \
        TYPE done = TARGET(__VA_ARGS__);                                                         \
        calls++;                                                                                   \
        return done;                                                                             \
    }

FORWARD(void *, malloc, __libc_malloc, (size_t size), size)
FORWARD(void *, calloc, __libc_calloc, (size_t count, size_t size), count, size)
FORWARD(void *, realloc, __libc_realloc, (void *old, size_t size), old, size)
void free(void *old) {
    __libc_free(old);
    calls++;
}

INTERCEPT(int, pthread_mutex_lock, (pthread_mutex_t * mutex), mutex)
INTERCEPT(int, pthread_mutex_trylock, (pthread_mutex_t * mutex), mutex)
INTERCEPT(int, pthread_mutex_unlock, (pthread_mutex_t * mutex), mutex)
INTERCEPT(int, pthread_cond_wait, (pthread_cond_t * cond, pthread_mutex_t *mutex), cond, mutex)
INTERCEPT(int, pthread_create,
          (pthread_t * thread, const pthread_attr_t *attributes, void *(*start)(void *), void *given),
          thread, attributes, start, given)
INTERCEPT(int, pthread_join, (pthread_t thread, void **result), thread, result)
INTERCEPT(int, sem_wait, (sem_t * semaphore), semaphore)
INTERCEPT(int, sem_post, (sem_t * semaphore), semaphore)
INTERCEPT(int, poll, (struct pollfd * fds, nfds_t count, int timeout), fds, count, timeout)
INTERCEPT(int, usleep, (useconds_t amount), amount)
INTERCEPT(int, sched_yield, (void))
INTERCEPT(ssize_t, read, (int file, void *to, size_t count), file, to, count)
