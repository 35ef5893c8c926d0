// SPDX-License-Identifier: Apache-2.0
// Objects take locks as they are made, by functions of their class, and have them while they live.
// A thread that waits for nobody goes on.
#include <omp.h>
#include <sched.h>

#include <atomic>
#include <cstdio>

class Mutex {
  public:
    Mutex() { omp_init_lock(&lock_); }
    void lock() {
        omp_set_lock(&lock_); /* expect: deadlock */
    }
    void unlock() { omp_unset_lock(&lock_); }

  private:
    omp_lock_t lock_;
};

class Guard {
  public:
    explicit Guard(Mutex &mutex) : mutex_(mutex) { mutex_.lock(); }
    ~Guard() { mutex_.unlock(); }

  private:
    Mutex &mutex_;
};

static std::atomic<int> come{0};
static Mutex readers, writers;
static volatile long steps;

static void move(Mutex &from, Mutex &to) {
    { Guard alone(from); }
    Guard here(from);
    for (come++; come < 2;)
        sched_yield();
    Guard there(to);
    steps = 0;
}

int main() {
#pragma omp parallel num_threads(3)
    {
        const int member = omp_get_thread_num();
        if (member == 0) {
            std::puts("ready");
            std::fflush(stdout);
            for (;;)
                steps = steps + 1;
        }
        if (member == 1)
            move(readers, writers);
        else
            move(writers, readers);
    }
    return 0;
}
