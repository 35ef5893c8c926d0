/* SPDX-License-Identifier: Apache-2.0 */
/* Two mutexes of C's <threads.h> are taken in two orders. */
#include "hangs.h"
#include <threads.h>

static mtx_t rows, columns;

static void in_order(mtx_t *first, mtx_t *second) {
    mtx_lock(first);
    meet(2);
    mtx_lock(second); /* expect: deadlock */ /* says: pthread mutex "rows" */
    mtx_unlock(second); /* says: pthread mutex "columns" */
    mtx_unlock(first);
}

int main(void) {
    mtx_init(&rows, mtx_plain);
    mtx_init(&columns, mtx_plain);
    ready();
#pragma omp parallel num_threads(3)
    {
        if (omp_get_thread_num() == 0)
            in_order(&rows, &columns);
        if (omp_get_thread_num() == 1)
            in_order(&columns, &rows);
    }
    return 0;
}
