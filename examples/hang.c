/* SPDX-License-Identifier: Apache-2.0 */
/* Money is booked by two functions that take the same two locks in another order. It goes
   well for months. */
#include <omp.h>
#include <stdatomic.h>
#include <stdio.h>
#include <unistd.h>

static omp_lock_t account;
static double balance, turnover;
static atomic_int inside;

/* So that it goes wrong in each run: both have one lock before they want the other. */
static void meet(void)
{
    atomic_fetch_add(&inside, 1);
    while (atomic_load(&inside) < 2)
        continue;
}

static void deposit(double amount)
{
    #pragma omp critical(ledger)
    {
        turnover += amount;
        meet();
        omp_set_lock(&account);
        balance += amount;
        omp_unset_lock(&account);
    }
}

static void withdraw(double amount)
{
    omp_set_lock(&account);
    balance -= amount;
    meet();
    #pragma omp critical(ledger)
    turnover += amount;
    omp_unset_lock(&account);
}

/* Here gdb stops: the other threads are where they stay. */
static void look(void)
{
    usleep(300000);
    printf("turnover so far: %.2f\n", turnover);
}

int main(void)
{
    omp_set_dynamic(0);
    omp_init_lock(&account);
    #pragma omp parallel num_threads(4)
    {
        switch (omp_get_thread_num()) {
        case 0: look(); break;
        case 1: deposit(120); break;
        case 2: withdraw(80); break;
        default: break;
        }
        #pragma omp barrier
        if (omp_get_thread_num() == 0)
            printf("balance: %.2f\n", balance);
    }
    omp_destroy_lock(&account);
    return 0;
}
