/* SPDX-License-Identifier: Apache-2.0 */
/* Two objects' locks, which one function takes by the names that it has for them. */
#include <omp.h>
#include <sched.h>

#include <atomic>
#include <cstdio>
#include <vector>

static std::atomic<int> come{0};

struct Account {
    omp_lock_t lock;
    long balance = 0;
};

static std::vector<Account> accounts(2);

static __attribute__((noinline)) void transfer(Account &from, Account &to) {
    omp_set_lock(&from.lock);
    for (come++; come < 2;)
        sched_yield();
    from.balance--;
    omp_set_lock(&to.lock); /* expect: deadlock */ /* says: "to.lock at 0x */
    to.balance++;
    omp_unset_lock(&to.lock);
    omp_unset_lock(&from.lock);
}

int main() {
    for (Account &account : accounts)
        omp_init_lock(&account.lock);
    std::puts("ready");
    std::fflush(stdout);
#pragma omp parallel num_threads(2)
    {
        const int own = omp_get_thread_num();
        transfer(accounts[own], accounts[1 - own]); /* says: held by GDB thread */
    }
    return 0;
}
