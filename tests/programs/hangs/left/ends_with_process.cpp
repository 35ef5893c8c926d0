// SPDX-License-Identifier: Apache-2.0
/* At exit a static object waits for a thread, which waits in the destructor of an object of its
 * own for a mutex that the first thread has kept. */
#include <omp.h>
#include <pthread.h>

#include <cstdio>
#include <thread>

static pthread_mutex_t kept = PTHREAD_MUTEX_INITIALIZER;

struct Own {
    int used = 0;
    ~Own() {
        pthread_mutex_lock(&kept); /* expect: deadlock */
        pthread_mutex_unlock(&kept);
    }
};
static thread_local Own own;

struct Server { /* says: the process is ending: GDB thread 1 is in exit() */
    std::thread thread;
    ~Server() { thread.join(); } /* expect: deadlock */
};
static Server server;

static void
serve() { /* says: GDB thread 3 is ending, in the destructor of its thread_local objects */
    own.used = 1;
}

int main() {
    pthread_mutex_lock(&kept);
    int sum = 0;
#pragma omp parallel num_threads(2) reduction(+ : sum)
    sum += omp_get_thread_num();
    server.thread = std::thread(serve);
    std::puts("ready");
    std::fflush(stdout);
    return sum - 1;
}
