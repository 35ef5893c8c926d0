// SPDX-License-Identifier: Apache-2.0
// A libgomp of a release that there is not, as far as programs of one parallel region at a
// time need it: its functions are those of GCC's, but each of its records has one field more
// before some that are asked for. With DISAGREE a function reads where nothing is.
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>

struct team;
struct share {
    char other[0x2c];
    int ordered_owner;
};
struct state {
    struct team *team;
    struct share *share, *last_share;
    int thread_num, level, active_level;
    int other[9];
    long added;
};
struct icvs {
    unsigned long nthreads;
    long other[4];
};
struct task {
    struct task *parent;
    char other[152];
    long added;
    struct icvs icvs;
    void (*function)(void *);
    void *data;
    unsigned kind;
    bool flag, final_task;
};
struct thread {
    void (*body)(void *);
    void *data;
    struct state state;
    struct task *task;
    int release;
    struct pool *pool;
};
struct pool {
    struct thread **threads;
};
struct team {
    int size, chunk;
    struct state outer;
    int first_release;
    int **releases;
    pthread_barrier_t barrier;
    long other[40];
    struct task tasks[];
};

static __thread struct thread self __attribute__((tls_model("initial-exec")));
static struct icvs initial = {.nthreads = 3};
static struct thread *threads[64];
static struct pool pool = {threads};
static struct share share = {.ordered_owner = -1};

int omp_get_thread_num(void) { return self.state.thread_num; }
int omp_get_level(void) { return self.state.level; }
int omp_get_active_level(void) { return self.state.active_level; }
int omp_get_num_threads(void) { return self.state.team ? self.state.team->size : 1; }
static const struct state *state_at(int level) {
    const struct state *state = &self.state;
    if (level < 0 || level > state->level)
        return 0;
    for (level = state->level - level; level > 0; --level)
        state = &state->team->outer;
    return state;
}
int omp_get_team_size(int level) {
    const struct state *state = state_at(level);
    return !state ? -1 : state->team ? state->team->size : 1;
}
int omp_get_ancestor_thread_num(int level) {
    const struct state *state = state_at(level);
    return state ? state->thread_num : -1;
}
int omp_get_max_threads(void) { return (self.task ? &self.task->icvs : &initial)->nthreads; }
int omp_in_explicit_task(void) { return self.task && self.task->kind != 0; }
#ifdef DISAGREE
int omp_in_final(void) { return self.task && self.task->flag; }
#else
int omp_in_final(void) { return self.task && self.task->final_task; }
#endif

__attribute__((noinline)) static int threads_for(int asked, int others) {
    __asm__ volatile("");
    return asked + others;
}
__attribute__((noinline)) static struct team *new_team(int size) {
    if (!self.state.team && !self.pool) {
        self.pool = &pool;
        threads[0] = &self;
    }
    const size_t of_each = sizeof(struct task) + sizeof(int *);
    struct team *team = aligned_alloc(64, sizeof *team + size * of_each);
    team->size = size;
    team->releases = (int **)&team->tasks[size];
    pthread_barrier_init(&team->barrier, 0, size);
    return team;
}

void GOMP_barrier(void) { pthread_barrier_wait(&self.state.team->barrier); }
void GOMP_ordered_start(void) {
    struct team *team = self.state.team;
    if (!team || team->size == 1)
        return;
    if (self.state.share->ordered_owner != self.state.thread_num) {
        int *release = team->releases[self.state.thread_num];
        while (!__atomic_load_n(release, __ATOMIC_ACQUIRE))
            __atomic_fetch_add(release, 1, __ATOMIC_ACQUIRE);
    }
}

struct start {
    struct team *team;
    struct task *parent;
    void (*body)(void *);
    void *data;
    int number;
};
static void join_team(const struct start *start) {
    struct task *task = &start->team->tasks[start->number];
    *task = (struct task){.parent = start->parent, .icvs = {.nthreads = 7}};
    self.task = task;
    self.pool = &pool;
    self.state = (struct state){.team = start->team, .share = &share, .level = 1};
    self.state.thread_num = start->number;
    self.state.active_level = 1;
    start->team->releases[start->number] = &self.release;
    threads[start->number] = &self;
}
static void *work(void *of) {
    const struct start *start = of;
    join_team(start);
    GOMP_barrier();
    start->body(start->data);
    GOMP_barrier();
    return 0;
}
__attribute__((noinline)) static void start_team(void (*body)(void *), void *data, int size,
                                                 struct team *team) {
    static struct start starts[64];
    pthread_t made;
    team->outer = self.state;
    for (int number = size - 1; number >= 0; --number) {
        starts[number] = (struct start){team, self.task, body, data, number};
        if (number > 0)
            pthread_create(&made, 0, work, &starts[number]);
    }
    join_team(&starts[0]);
    GOMP_barrier();
}
void GOMP_parallel_start(void (*body)(void *), void *data, unsigned asked) {
    const int size = threads_for(asked, 0);
    start_team(body, data, size, new_team(size));
}
void GOMP_parallel(void (*body)(void *), void *data, unsigned size, unsigned flags) {
    GOMP_parallel_start(body, data, threads_for(size, flags));
    body(data);
    GOMP_barrier();
    struct task *const parent = self.task->parent;
    self.state = self.state.team->outer;
    self.task = parent;
}
