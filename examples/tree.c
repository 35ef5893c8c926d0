/* SPDX-License-Identifier: Apache-2.0 */
/* The sum over a binary tree, a task for each branch. Two threads share the
   tasks, so the task that made another one need not be the task that is
   suspended below it on the same thread. */
#include <omp.h>
#include <stdatomic.h>
#include <stdio.h>

enum { NODES = 7, FIRST_LEAF = NODES / 2 };

static int weight[NODES] = {1, 2, 3, 4, 5, 6, 7};
static atomic_int threads_at_leaf;
static atomic_int leaves_weighed;

static int weigh_leaf(int node)
{
    return weight[node];
}

static void wait_for(atomic_int *count, int least)
{
    while (atomic_load(count) < least) {}
}

/* The first leaf of each thread waits for that of the other, so that there is
   a moment when both hold a chain of tasks. Thread 0 then goes first. */
static int visit_leaf(int node)
{
    static _Thread_local int visited;
    if (!visited) {
        visited = 1;
        atomic_fetch_add(&threads_at_leaf, 1);
        wait_for(&threads_at_leaf, omp_get_num_threads());
        if (omp_get_thread_num() != 0)
            wait_for(&leaves_weighed, 1);
    }
    const int leaf = weigh_leaf(node);
    atomic_fetch_add(&leaves_weighed, 1);
    return leaf;
}

static int sum(int node)
{
    int left = 0, right = 0;
    if (node >= FIRST_LEAF)
        return visit_leaf(node);

    #pragma omp task shared(left)
    left = sum(2 * node + 1);
    #pragma omp task shared(right)
    right = sum(2 * node + 2);
    #pragma omp taskwait
    return weight[node] + left + right;
}

int main(void)
{
    omp_set_dynamic(0);
    #pragma omp parallel num_threads(2)
    if (omp_get_thread_num() == 0)
        printf("sum: %d\n", sum(0));
    return 0;
}
