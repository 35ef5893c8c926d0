/* SPDX-License-Identifier: Apache-2.0 */
/* What twalk calls begins a region. Optimized it does so with a jump, and leaves no frame. */
#include "hangs.h"

#include <search.h>

static int input[2];

static void region(void) {
#pragma omp parallel num_threads(2)
    {
        if (omp_get_thread_num() == 1) {
            char one;
            work((int)read(input[0], &one, 1)); /* expect: waiting */
        }
    }
}

static int compare(const void *one, const void *other) { return (one > other) - (one < other); }

static void visit(const void *node, VISIT when, int depth) {
    (void)node, (void)when, (void)depth;
    region();
}

int main(void) {
    if (pipe(input) != 0)
        return 1;
    ready();
    static int key;
    void *root = NULL;
    tsearch(&key, &root, compare);
    twalk(root, visit);
    work(1);
    return 0;
}
