/* SPDX-License-Identifier: Apache-2.0 */
/* Target constructs of ten kinds, of which the program executes the one that it is given. Where its
   threads work, each has recorded in which construct's line it is and what omp_get_* answer. */
#include <omp.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>

#ifdef __clang__
#define KEPT __attribute__((noinline))
#else
#define KEPT __attribute__((noipa))
#endif

struct said {
    int lwp, target, on_host;
    int team_num, num_teams, thread_num, team_size, level, active_level;
} said[8192];
int used, value, mapped[8];

KEPT void work(void) {
    for (volatile long left = 1000000; left > 0; --left)
        ;
}

KEPT void here(int target) {
    const int lwp = (int)syscall(SYS_gettid);
    int at = 0;
    while (at < used && said[at].lwp != lwp)
        ++at;
    at = at < used ? at : __atomic_fetch_add(&used, 1, __ATOMIC_RELAXED);
    said[at] = (struct said){lwp,
                             target,
                             omp_is_initial_device(),
                             omp_get_team_num(),
                             omp_get_num_teams(),
                             omp_get_thread_num(),
                             omp_get_num_threads(),
                             omp_get_level(),
                             omp_get_active_level()};
    work();
    __asm__ volatile("" ::: "memory");
}

static void map(void) {
    here(0);
#pragma omp target map(tofrom : value)
    here(__LINE__ - 1);
}

static void data(void) {
#pragma omp target enter data map(to : mapped)
#pragma omp parallel num_threads(3)
#pragma omp target data map(tofrom : value)
    {
        here(0);
#pragma omp target map(tofrom : value)
        here(__LINE__ - 1);
#pragma omp target update from(mapped)
    }
#pragma omp target exit data map(from : mapped)
}

static void later(void) {
#pragma omp parallel num_threads(4)
#pragma omp single
    {
#pragma omp target nowait map(tofrom : value)
        here(__LINE__ - 1);
        here(0);
#pragma omp task
        here(0);
    }
}

static void depend(void) {
#pragma omp parallel num_threads(3)
#pragma omp single
    {
#pragma omp task depend(out : value)
        here(0);
#pragma omp target nowait depend(inout : value)
        here(__LINE__ - 1);
#pragma omp target depend(in : value)
        here(__LINE__ - 1);
    }
}

#pragma omp declare target
KEPT void declared_inside(int target) {
    here(target);
    __asm__ volatile("");
}
#pragma omp end declare target
static void declared(void) {
    declared_inside(0);
#pragma omp target map(tofrom : value)
    declared_inside(__LINE__ - 1);
}

static void nested(void) {
#pragma omp parallel num_threads(3)
    {
#pragma omp target map(tofrom : value)
        {
            here(__LINE__ - 2);
#pragma omp parallel num_threads(2)
            here(__LINE__ - 4);
            here(__LINE__ - 5);
        }
    }
}

static void teams(void) {
#pragma omp target teams num_teams(2) thread_limit(2)
    {
        here(__LINE__ - 2);
#pragma omp parallel num_threads(2)
        here(__LINE__ - 4);
    }
}

static void in_task(void) {
#pragma omp parallel num_threads(3)
#pragma omp single
    for (int i = 0; i < 4; ++i) {
#pragma omp task
        {
            here(0);
#pragma omp target map(tofrom : value)
            here(__LINE__ - 1);
        }
    }
}

static void in_sections(void) {
#pragma omp parallel sections num_threads(3)
    {
#pragma omp section
        {
#pragma omp target map(tofrom : value)
            here(__LINE__ - 1);
        }
#pragma omp section
        here(0);
    }
}

static void distribute(void) {
#pragma omp target teams distribute parallel for num_teams(2) thread_limit(2)
    for (int i = 0; i < 8; ++i)
        here(__LINE__ - 2);
}

int main(int argc, char **argv) {
    void (*const kinds[])(void) = {map,    data,  later,   depend,      declared,
                                   nested, teams, in_task, in_sections, distribute};
    struct itimerval times = {{0, 23700}, {0, 31000}};
    setitimer(ITIMER_REAL, &times, NULL);
    for (int round = 0; argc > 1 && round < 100000; ++round)
        kinds[atoi(argv[1])]();
    return 0;
}
