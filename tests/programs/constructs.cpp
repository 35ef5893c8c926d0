// SPDX-License-Identifier: Apache-2.0
// Constructs to step through, each in a function of its own that is called once for each command.
//
// The comment before a function says which lines its steps lead to, by the marks at their ends:
// "step" and "next" from the line "before" to the line "after", and "finish" (as it is given)
// from the line "first". They are patterns: "a?" may be met, "a*" and "a+" more than once, "a|b"
// is one of them. "construct" is met before all others, or not; "out" is the caller, and
// "refused" a message. Words before a command say for which builds the line is, and "because" why
// it is another one there.
#include <omp.h>

#define ALONE __attribute__((noinline))
// An instruction that no optimisation moves to another line.
#define HERE __asm__ volatile("nop")

namespace {

volatile int sink;
int kept;
#pragma omp threadprivate(kept)
omp_lock_t lock;
omp_nest_lock_t nest_lock;
int values[4];

// step: first last end? after
// next: after
// finish: construct|after
ALONE void parallel() {
    HERE; // before
#pragma omp parallel     // construct
    {
        sink = 1; // first
        sink = 2; // last
    } // end
    sink = 3; // after
}

// step: first last end? after
// next: after
// finish region: construct|after
ALONE void parallel_num_threads(int n) {
    HERE; // before
#pragma omp parallel num_threads(n) // construct
    {
        sink = 1; // first
        sink = 2; // last
    } // end
    sink = 3; // after
}

// step: first last end? after
// next: after
// finish region: construct|after
ALONE void parallel_if_0(int wanted) {
    HERE; // before
#pragma omp parallel if (wanted) // construct
    {
        sink = 1; // first
        sink = 2; // last
    } // end
    sink = 3; // after
}

// step: first last end? after
// next: after
// finish: construct|after
ALONE void parallel_in_lambda(int n) {
    const auto work = [n](int m) {
        HERE; // before
#pragma omp parallel num_threads(n)     // construct
        {
            sink = n; // first
            sink = m; // last
        } // end
        sink = 3; // after
    };
    work(n + 1);
}

class Grid {
  public:
    explicit Grid(int size) : size_(size) {}
    void relax();
    void visit();
    template <typename T> T smooth(T value);
    template <typename T> T refine(T value);

  private:
    int size_;
};

// step: first last end? after
// next: after
// finish: construct|after
ALONE void Grid::relax() {
    HERE; // before
#pragma omp parallel num_threads(size_) // construct
    {
        sink = size_; // first
        sink = 2;     // last
    } // end
    sink = 3; // after
}

// step: first last end? after
// next: after
// finish: construct|after
// gcc O2 step: after, because GCC says of no line of a template's that it begins a statement,
// gcc O2 next: out, because of the same: GDB stops at no other line
// gcc O2 finish: refused after
template <typename T> ALONE T Grid::smooth(T value) {
    HERE; // before
#pragma omp parallel num_threads(size_) // construct
    {
        sink = int(value); // first
        sink = size_;      // last
    } // end
    sink = 3; // after
    return value;
}

// step: first? last? end? after
// next: after
// finish: construct|after
ALONE void parallel_reduction(int n) {
    int sum = n;
    HERE; // before
#pragma omp parallel num_threads(2) reduction(+ : sum)    // construct
    {
        sink = 1; // first
        sum += n; // last
    } // end
    sink = sum; // after
}

// step: first last end? after
// next: after
// finish: construct|after
ALONE void parallel_copyin(int n) {
    kept = n;
    HERE; // before
#pragma omp parallel num_threads(2) copyin(kept)  // construct
    {
        sink = kept; // first
        sink = 2;    // last
    } // end
    sink = kept; // after
}

// step: first last end? after
// next: after
// finish: construct|after
ALONE void parallel_privates(int own, int zero) {
    int made = zero;
    HERE; // before
#pragma omp parallel num_threads(2) firstprivate(own) private(made)        // construct
    {
        sink = made = own; // first
        sink = made;       // last
    } // end
    sink = made; // after
}

// step: first end? after
// next: after
// finish: construct|after
ALONE void parallel_one_statement() {
    HERE; // before
#pragma omp parallel num_threads(2) // construct
    sink = 1;                       // first
    sink = 2;                       // after
}

// step: (loop? first last)+ loop? end? after
// next: (loop? first last)+ loop? end? after
// finish: outside
ALONE void for_static(int n) {
#pragma omp parallel num_threads(2) // outside
    {
        HERE; // before
#pragma omp for schedule(static) // construct
        for (int i = 0; i < n; i++) { // loop
            sink = i; // first
            sink = n; // last
        } // end
        sink = 3; // after
    }
    sink = 4; // outside
}

// step: (loop? first last)+ loop? end? after
// next: (loop? first last)+ loop? end? after
// clang O0 step: (loop+ first last)+ loop+ after, because it has a loop of chunks around the loop
// clang O0 next: (loop+ first last)+ loop+ after
ALONE void for_static_chunked(int n) {
#pragma omp parallel num_threads(2)
    {
        HERE; // before
#pragma omp for schedule(static, 1) // construct
        for (int i = 0; i < n; i++) { // loop
            sink = i; // first
            sink = n; // last
        } // end
        sink = 3; // after
    }
}

// step: (loop? first last)+ loop? end? after
// next: (loop? first last)+ loop? end? after
ALONE void for_dynamic(int n) {
#pragma omp parallel num_threads(1)
    {
        HERE; // before
#pragma omp for schedule(dynamic) // construct
        for (int i = 0; i < n; i++) { // loop
            sink = i; // first
            sink = n; // last
        } // end
        sink = 3; // after
    }
}

// step: (loop? first last)+ loop? end? after
// next: (loop? first last)+ loop? end? after
ALONE void for_guided(int n) {
#pragma omp parallel num_threads(1)
    {
        HERE; // before
#pragma omp for schedule(guided) // construct
        for (int i = 0; i < n; i++) { // loop
            sink = i; // first
            sink = n; // last
        } // end
        sink = 3; // after
    }
}

// step: (loop? first last)+ loop? end? after
// next: (loop? first last)+ loop? end? after
ALONE void for_runtime(int n) {
#pragma omp parallel num_threads(1)
    {
        HERE; // before
#pragma omp for schedule(runtime) // construct
        for (int i = 0; i < n; i++) { // loop
            sink = i; // first
            sink = n; // last
        } // end
        sink = 3; // after
    }
}

// step: (loop? first last)+ loop? end? after
// next: (loop? first last)+ loop? end? after
ALONE void for_auto_nowait(int n) {
#pragma omp parallel num_threads(1)
    {
        HERE; // before
#pragma omp for schedule(auto) nowait // construct
        for (int i = 0; i < n; i++) { // loop
            sink = i; // first
            sink = n; // last
        } // end
        sink = 3; // after
    }
}

// step: (loop? first)+ loop? end? after
// next: (loop? first)+ loop? end? after
ALONE void for_reduction(int n) {
    int sum = 0;
#pragma omp parallel num_threads(2)
    {
        HERE; // before
#pragma omp for reduction(+ : sum)    // construct
        for (int i = 0; i < n; i++) { // loop
            sum += sink; // first
        } // end
        sink = sum; // after
    }
}

// step: (loop|inner)* first ((loop|inner)* first)* (loop|inner)* after
// next: (loop|inner)* first ((loop|inner)* first)* (loop|inner)* after
ALONE void for_collapse(int n) {

#pragma omp parallel num_threads(2)
    {
        HERE; // before
#pragma omp for collapse(2)                   // construct
        for (int i = 0; i < n; i++)     // loop
            for (int j = 0; j < 2; j++) // inner
                sink = i + j;        // first
        sink = 3;                       // after
    }
}

// step: (loop? first last)+ loop? end? after
// next: after
// finish region: construct|loop|after
ALONE void parallel_for(int n) {
    HERE; // before
#pragma omp parallel for num_threads(2) // construct
    for (int i = 0; i < n; i++) { // loop
        sink = i; // first
        sink = n; // last
    } // end
    sink = 3; // after
}

// step: (loop? first)+ loop? after
// next: (loop? first)+ loop? after
// gcc O0 step: after, because GCC gives the whole loop the directive's line
// gcc O0 next: after
ALONE void simd(int n) {
    HERE; // before
#pragma omp simd     // construct
    for (int i = 0; i < n; i++) // loop
        values[i] += n; // first
    sink = 3; // after
}

// step: (loop? first)+ loop? after
// next: (loop? first)+ loop? after
ALONE void for_simd(int n) {
#pragma omp parallel num_threads(2)
    {
        HERE; // before
#pragma omp for simd     // construct
        for (int i = 0; i < n; i++) // loop
            values[i] += n; // first
        sink = 3; // after
    }
}

// step: (loop? first)+ loop? after
// next: after
// finish: construct|loop|after
ALONE void parallel_for_simd(int n) {
    HERE; // before
#pragma omp parallel for simd num_threads(2) // construct
    for (int i = 0; i < n; i++) // loop
        values[i] += n; // first
    sink = 3; // after
}

// step: (begin|first|last|part)* end? after
// next: (begin|first|last|part)* end? after
ALONE void sections() {
#pragma omp parallel num_threads(1)
    {
        HERE; // before
#pragma omp sections       // construct
        {                  // begin
#pragma omp section        // part
            sink = 1;      // first
#pragma omp section        // part
            values[0] = sink; // last
        } // end
        sink = 3; // after
    }
}

// step: (begin|part)* first part? last begin? end? after
// next: after
// finish region: construct|after
ALONE void parallel_sections() {
    HERE; // before
#pragma omp parallel sections num_threads(1) // construct
    {                  // begin
#pragma omp section    // part
        sink = 1;      // first
#pragma omp section    // part
        values[0] = sink; // last
    } // end
    sink = 3; // after
}

// step: first last end? after
// next: first last end? after
ALONE void single() {
#pragma omp parallel num_threads(1)
    {
        HERE; // before
#pragma omp single           // construct
        {
            sink = 1; // first
            sink = 2; // last
        } // end
        sink = 3; // after
    }
}

// step: first last end? after
// next: first last end? after
ALONE void single_nowait() {
#pragma omp parallel num_threads(1)
    {
        HERE; // before
#pragma omp single nowait    // construct
        {
            sink = 1; // first
            sink = 2; // last
        } // end
        sink = 3; // after
    }
}

// step: first end? after
// next: first end? after
ALONE void single_copyprivate(int own) {
#pragma omp parallel num_threads(1) firstprivate(own)
    {
        HERE; // before
#pragma omp single copyprivate(own)           // construct
        {
            own = sink; // first
        } // end
        sink = own; // after
    }
}

// step: first last end? after
// next: first last end? after
// finish: outside
ALONE void master() {
#pragma omp parallel num_threads(2) // outside
    {
        HERE; // before
#pragma omp master           // construct
        {
            sink = 1; // first
            sink = 2; // last
        } // end
        sink = 3; // after
    }
    sink = 4; // outside
}

// step: first last end? after
// next: first last end? after
ALONE void critical() {
#pragma omp parallel num_threads(2)
    {
        HERE; // before
#pragma omp critical         // construct
        {
            sink = 1; // first
            sink = 2; // last
        } // end
        sink = 3; // after
    }
}

// step: first last end? after
// next: first last end? after
ALONE void critical_named() {
#pragma omp parallel num_threads(2)
    {
        HERE; // before
#pragma omp critical(one)        // construct
        {
            sink = 1; // first
            sink = 2; // last
        } // end
        sink = 3; // after
    }
}

// step: first? after
// next: first? after
ALONE void atomic(int n) {
#pragma omp parallel num_threads(2)
    {
        HERE; // before
#pragma omp atomic        // construct
        n += 2;           // first
        sink = 3;         // after
    }
}

// step: first? after
// next: first? after
ALONE void atomic_capture(int n) {
    int old = 0;
#pragma omp parallel num_threads(2) firstprivate(old)
    {
        HERE; // before
#pragma omp atomic capture        // construct
        old = n++;                // first
        sink = old;               // after
    }
}

// step: (loop? turn? first last)+ loop? end? after
// next: (loop? turn? first last)+ loop? end? after
ALONE void ordered(int n) {
#pragma omp parallel num_threads(2)
    {
        HERE; // before
#pragma omp for ordered          // construct
        for (int i = 0; i < n; i++) { // loop
#pragma omp ordered              // turn
            sink = i;            // first
            sink = n;            // last
        } // end
        sink = 3; // after
    }
}

// step: (loop* (wait loop?)* first loop? post?)+ loop? end? after
// next: (loop* (wait loop?)* first loop? post?)+ loop? end? after
ALONE void doacross(int n) {
#pragma omp parallel num_threads(2)
    {
        HERE; // before
#pragma omp for ordered(1)               // construct
        for (int i = 0; i < n; i++) { // loop
#pragma omp ordered depend(sink : i - 1) // wait
            sink = i;                    // first
#pragma omp ordered depend(source)       // post
        } // end
        sink = 3; // after
    }
}

// step: after
// next: after
ALONE void barrier() {
#pragma omp parallel num_threads(2)
    {
        HERE; // before
#pragma omp barrier     // construct
        sink = 3;       // after
    }
}

// step: after
// next: after
ALONE void flush() {
    HERE; // before
#pragma omp flush       // construct
    sink = 3;           // after
}

// step: after
// next: after
ALONE void task_deferred() {
#pragma omp parallel num_threads(2)
#pragma omp master
    {
        HERE; // before
#pragma omp task             // construct
        {
            sink = 1; // first
            sink = 2; // last
        } // end
        sink = 3; // after
    }
}

// step: first last end? after
// next: after
// finish task: construct|after
ALONE void task(int n) {
    HERE; // before
#pragma omp task         // construct
    {
        sink = n; // first
        sink = 2; // last
    } // end
    sink = 3; // after
}

// step: first last end? after
// next: after
// finish: construct|after
// clang finish: opening, because its first part calls the second, and one part is finished
ALONE void task_untied(int n) {
    HERE; // before
#pragma omp task untied   // construct
    { // opening
        sink = n; // first
        sink = 2; // last
    } // end
    sink = 3; // after
}

// step: first last end? after
// next: after
// finish: construct|after
ALONE void task_if_0(int wanted) {
#pragma omp parallel num_threads(2)
#pragma omp master
    {
        HERE; // before
#pragma omp task if (wanted)     // construct
        {
            sink = wanted; // first
            sink = 2;      // last
        } // end
        sink = 3; // after
    }
}

// step: first inner? deep last end? after
// next: after
// finish task: construct|after
ALONE void task_final(int n) {
    HERE; // before
#pragma omp task final(n > 0)   // construct
    {
        sink = n;               // first
#pragma omp task                // inner
        sink = n + 1;           // deep
        sink = 2;               // last
    } // end
    sink = 3; // after
}

// step: first last end? after
// next: after
// finish: construct|after
ALONE void task_depend(int n) {
    HERE; // before
#pragma omp task depend(inout : n)     // construct
    {
        n = sink; // first
        sink = n; // last
    } // end
    sink = 3; // after
}

// step: first last end? after
// next: after
// finish: construct|after
ALONE void task_in_lambda(int n) {
    const auto work = [n](int m) {
        HERE; // before
#pragma omp task         // construct
        {
            sink = n; // first
            sink = m; // last
        } // end
        sink = 3; // after
    };
    work(n + 1);
}

// step: first last end? after
// next: after
// finish: construct|after
ALONE void Grid::visit() {
    HERE; // before
#pragma omp task         // construct
    {
        sink = size_; // first
        sink = 2;     // last
    } // end
    sink = 3; // after
}

// step: first last end? after
// next: after
// finish: construct|after
// gcc O2 step: after, because GCC says of no line of a template's that it begins a statement,
// gcc O2 next: out, because of the same: GDB stops at no other line
// gcc O2 finish: refused after
template <typename T> ALONE T Grid::refine(T value) {
    HERE; // before
#pragma omp task         // construct
    {
        sink = int(value); // first
        sink = size_;      // last
    } // end
    sink = 3; // after
    return value;
}

// step: outer inner? first last end? behind outer_end? after
// next: after
// finish: inner|behind
ALONE void task_in_task(int n) {
    HERE; // before
#pragma omp task         // construct
    {
        sink = n;        // outer
#pragma omp task if (0)  // inner
        {
            sink = n + 1; // first
            sink = n + 2; // last
        } // end
        sink = 2; // behind
    } // outer_end
    sink = 3; // after
}

// step: first last end? after
// next: after
// finish: construct|after
ALONE void parallel_in_task(int n) {
#pragma omp task
    {
        HERE; // before
#pragma omp parallel num_threads(2)     // construct
        {
            sink = n; // first
            sink = 2; // last
        } // end
        sink = 3; // after
    }
}

// step: after
// next: after
ALONE void taskwait() {
#pragma omp parallel num_threads(2)
#pragma omp master
    {
#pragma omp task
        sink = 1;
        HERE; // before
#pragma omp taskwait     // construct
        sink = 3;        // after
    }
}

// step: after
// next: after
ALONE void taskwait_depend(int n) {
#pragma omp parallel num_threads(2)
#pragma omp master
    {
#pragma omp task depend(out : n) shared(n)
        n = sink;
        HERE; // before
#pragma omp taskwait depend(in : n)        // construct
        sink = 3;                          // after
    }
}

// step: inside inner? last end? after
// next: inside inner? last end? after
ALONE void taskgroup(int n) {
#pragma omp parallel num_threads(2)
#pragma omp master
    {
        HERE; // before
#pragma omp taskgroup        // construct
        {
            sink = 1;        // inside
#pragma omp task             // inner
            sink = n;        // deep
            sink = 2;        // last
        } // end
        sink = 3; // after
    }
}

// step: after
// next: after
ALONE void taskyield() {
#pragma omp parallel num_threads(2)
    {
        HERE; // before
#pragma omp taskyield     // construct
        sink = 3;         // after
    }
}

// step: (loop? first)+ loop? end? after
// next: after
ALONE void taskloop(unsigned long n) {
    HERE; // before
#pragma omp taskloop num_tasks(2) // construct
    for (unsigned long i = 0; i < n; i++) { // loop
        sink = int(i); // first
    } // end
    sink = 3; // after
}

// step: first last end? after
// next: after
// finish: refused first, because it is in no parallel region
ALONE void teams() {
    HERE; // before
#pragma omp teams num_teams(1)   // construct
    {
        sink = 1; // first
        sink = 2; // last
    } // end
    sink = 3; // after
}

// step: (loop* first)+ loop* end? after
// next: after
ALONE void teams_distribute(int n) {
    HERE; // before
#pragma omp teams distribute num_teams(1) // construct
    for (int i = 0; i < n; i++) { // loop
        sink = i; // first
    } // end
    sink = 3; // after
}

// step: (loop* end? first)+ loop* end* loop* end? after
// next: after
ALONE void teams_distribute_parallel_for(int n) {
    HERE; // before
#pragma omp teams distribute parallel for num_teams(1) thread_limit(1) // construct
    for (int i = 0; i < n; i++) { // loop
        sink = i; // first
    } // end
    sink = 3; // after
}

// step: first cancel? end? after
// next: after
ALONE void cancel_parallel() {
    HERE; // before
#pragma omp parallel num_threads(2) // construct
    {
        sink = 1;               // first
#pragma omp cancel parallel     // cancel
        sink = 2;               // last
    } // end
    sink = 3; // after
}

// step: loop? first cancel? loop? end? after
// next: loop? first cancel? loop? end? after
ALONE void cancel_for(int n) {
#pragma omp parallel num_threads(1)
    {
        HERE; // before
#pragma omp for          // construct
        for (int i = 0; i < n; i++) { // loop
            sink = i;           // first
#pragma omp cancel for          // cancel
            sink = 2;           // last
        } // end
        sink = 3; // after
    }
}

// step: first last after
// next: first last after
ALONE void lock_calls() {
#pragma omp parallel num_threads(2)
    {
        HERE; // before
        omp_set_lock(&lock);        // first
        omp_unset_lock(&lock);      // last
        sink = 3;                   // after
    }
}

// step: first last after
// next: first last after
ALONE void nest_lock_calls() {
#pragma omp parallel num_threads(2)
    {
        HERE; // before
        omp_set_nest_lock(&nest_lock);   // first
        omp_unset_nest_lock(&nest_lock); // last
        sink = 3;                        // after
    }
}

// step: call entered taken closing? give given closing? after
// next: call give after
ALONE void take() {
    sink = 0;            // entered
    omp_set_lock(&lock); // taken
} // closing

ALONE void give() {
    omp_unset_lock(&lock); // given
} // closing

ALONE void lock_at_the_end() {
    HERE;     // before
    take();   // call
    give();   // give
    sink = 3; // after
}

// step: outer inner? first last end? behind outer_end? after
// next: after
// finish: inner|behind
ALONE void parallel_nested() {
    HERE; // before
#pragma omp parallel num_threads(2) // construct
    {
        sink = 1;                       // outer
#pragma omp parallel num_threads(2)     // inner
        {
            sink = 2; // first
            sink = 3; // last
        } // end
        sink = 4; // behind
    } // outer_end
    sink = 5; // after
}

} // namespace

// Once for each command: step, next and finish.
#define CALL(what)                                                                                 \
    for (int call = 0; call < 3; call++)                                                           \
    what

int main() {
    omp_set_max_active_levels(2);
    omp_init_lock(&lock);
    omp_init_nest_lock(&nest_lock);
    Grid grid(2);
    CALL(parallel());
    CALL(parallel_num_threads(2));
    CALL(parallel_if_0(0));
    CALL(parallel_in_lambda(2));
    CALL(grid.relax());
    CALL(grid.smooth(1.5));
    CALL(parallel_reduction(2));
    CALL(parallel_copyin(2));
    CALL(parallel_privates(2, 0));
    CALL(parallel_one_statement());
    CALL(for_static(4));
    CALL(for_static_chunked(4));
    CALL(for_dynamic(2));
    CALL(for_guided(2));
    CALL(for_runtime(2));
    CALL(for_auto_nowait(4));
    CALL(for_reduction(4));
    CALL(for_collapse(2));
    CALL(parallel_for(4));
    CALL(simd(2));
    CALL(for_simd(4));
    CALL(parallel_for_simd(4));
    CALL(sections());
    CALL(parallel_sections());
    CALL(single());
    CALL(single_nowait());
    CALL(single_copyprivate(2));
    CALL(master());
    CALL(critical());
    CALL(critical_named());
    CALL(atomic(2));
    CALL(atomic_capture(2));
    CALL(ordered(4));
    CALL(doacross(4));
    CALL(barrier());
    CALL(flush());
    CALL(task_deferred());
    CALL(task(2));
    CALL(task_untied(2));
    CALL(task_if_0(0));
    CALL(task_final(2));
    CALL(task_depend(2));
    CALL(task_in_lambda(2));
    CALL(grid.visit());
    CALL(grid.refine(1.5));
    CALL(task_in_task(2));
    CALL(parallel_in_task(2));
    CALL(taskwait());
    CALL(taskwait_depend(2));
    CALL(taskgroup(2));
    CALL(taskyield());
    CALL(taskloop(2));
    CALL(teams());
    CALL(teams_distribute(2));
    CALL(teams_distribute_parallel_for(2));
    CALL(cancel_parallel());
    CALL(cancel_for(2));
    CALL(lock_calls());
    CALL(nest_lock_calls());
    CALL(lock_at_the_end());
    // Last: once regions were nested, libomp 14 may go on for ever to wake a thread for a task.
    CALL(parallel_nested());
    return 0;
}
