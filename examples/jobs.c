/* SPDX-License-Identifier: Apache-2.0 */
/* Regions, tasks and nested teams in turn, for breakpoints on OpenMP's events. */
#include "settle.h"
#include <omp.h>
#include <stdatomic.h>
#include <stdio.h>

enum { ROUNDS = 3, JOBS = 2 * ROUNDS };

static atomic_int sum;
static atomic_int begun;

static void solve(int threads)
{
    #pragma omp parallel num_threads(threads)
    atomic_fetch_add(&sum, omp_get_thread_num());
}

/* Of two jobs the first waits until the second has begun: so two threads do as
   many each. */
static void job(int number)
{
    const int before = atomic_fetch_add(&begun, 1);
    while (atomic_load(&begun) < before - before % 2 + 2) {}
    atomic_fetch_add(&sum, number);
}

static void make_jobs(void)
{
    #pragma omp parallel num_threads(2)
    #pragma omp single
    for (int number = 0; number < JOBS; number++) {
        #pragma omp task firstprivate(number)
        job(number);
    }
}

static void add(int number)
{
    atomic_fetch_add(&sum, number);
}

static void last_job(int number)
{
    #pragma omp task firstprivate(number)
    add(number);
}

static void work(int outer)
{
    atomic_fetch_add(&sum, outer);
}

static void teams_of_teams(void)
{
    #pragma omp parallel num_threads(2)
    {
        const int outer = omp_get_thread_num();
        if (outer == 0)
            settle(1);
        #pragma omp parallel num_threads(4) if (outer == 1)
        work(outer);
        if (outer == 1)
            done_working();
    }
}

int main(void)
{
    omp_set_dynamic(0);
    omp_set_max_active_levels(2);
    for (int threads = 1; threads <= 4; threads++)
        solve(threads);
    make_jobs();
    last_job(JOBS);
    teams_of_teams();
    printf("sum: %d\n", atomic_load(&sum));
    return 0;
}
