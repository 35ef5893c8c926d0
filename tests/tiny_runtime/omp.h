/* SPDX-License-Identifier: Apache-2.0 */
/* What the tiny runtime has of OpenMP's functions, and its own for constructs. */
#ifndef TINY_OMP_H
#define TINY_OMP_H

typedef enum omp_sched_t {
    omp_sched_static = 1,
    omp_sched_dynamic = 2,
    omp_sched_guided = 3,
    omp_sched_auto = 4
} omp_sched_t;

typedef enum omp_proc_bind_t { omp_proc_bind_false = 0, omp_proc_bind_close = 3 } omp_proc_bind_t;

typedef struct omp_lock_t {
    int held;
} omp_lock_t;

int omp_get_thread_num(void);
int omp_get_num_threads(void);
int omp_get_level(void);
int omp_get_active_level(void);
int omp_get_ancestor_thread_num(int level);
int omp_get_team_size(int level);
int omp_in_parallel(void);
int omp_in_final(void);
int omp_get_team_num(void);
int omp_get_num_teams(void);
void omp_get_schedule(omp_sched_t *kind, int *chunk);
void omp_set_schedule(omp_sched_t kind, int chunk);
int omp_get_max_threads(void);
void omp_set_num_threads(int count);
int omp_get_dynamic(void);
void omp_set_dynamic(int on);
int omp_get_max_active_levels(void);
void omp_set_max_active_levels(int levels);
omp_proc_bind_t omp_get_proc_bind(void);
int omp_get_thread_limit(void);
int omp_get_num_procs(void);
int omp_get_cancellation(void);
int omp_get_default_device(void);
int omp_get_max_task_priority(void);
void omp_init_lock(omp_lock_t *lock);
void omp_set_lock(omp_lock_t *lock);
void omp_unset_lock(omp_lock_t *lock);

typedef void tiny_body(void *argument);

/* A parallel region of COUNT threads, of nthreads-var where that is 0. */
void tiny_parallel(tiny_body *body, void *argument, int count);
enum { TINY_FINAL = 1, TINY_UNDEFERRED = 2 };
void tiny_task(tiny_body *body, void *argument, int flags);
void tiny_taskwait(void);
void tiny_barrier(void);

/* What identifies what the caller executes: tool data, for the program's own record. */
unsigned long tiny_thread_id(void), tiny_team_id(void), tiny_task_id(void);

#endif
