/* SPDX-License-Identifier: Apache-2.0 */
/* Two threads wait for each other's lock in a virtual method, which optimised code ends with a
   jump. */
#include <omp.h>
#include <sched.h>

#include <atomic>
#include <cstdio>

static std::atomic<int> come{0}, taken{0};

struct Account {
    omp_lock_t lock;
    Account() { omp_init_lock(&lock); }
    virtual ~Account() = default;
    virtual void take() { omp_set_lock(&lock); }
};

struct Shared : Account {
    void take() override {
        taken++;
        omp_set_lock(&lock); /* expect: deadlock */ /* says: for lock */
    }
};

int main(int argc, char **) {
    Account *const first = argc > 0 ? new Shared : new Account;
    Account *const second = argc > 0 ? new Shared : new Account;
    std::puts("ready");
    std::fflush(stdout);
#pragma omp parallel num_threads(2)
    {
        Account *const own = omp_get_thread_num() == 0 ? first : second;
        own->take();
        for (come++; come < 2;)
            sched_yield();
        (own == first ? second : first)->take();
        std::printf("%d\n", taken.load());
    }
    return 0;
}
