/* SPDX-License-Identifier: Apache-2.0 */
/* Workers spin on what only pointers of the team's lead to. */
#include "hangs.h"

struct slot {
    int size;
    volatile int full;
};

struct queue {
    struct slot *slots;
    struct queue *next;
};

int main(void) {
    struct queue *queue = calloc(1, sizeof *queue);
    queue->next = calloc(1, sizeof *queue);
    queue->slots = calloc(8, sizeof *queue->slots);
    queue->next->slots = calloc(8, sizeof *queue->slots);
    ready();
#pragma omp parallel num_threads(3)
    {
        const int me = omp_get_thread_num();
        if (me == 1) {
            while (!queue->slots[3].full) /* expect: waiting */ /* says: "queue->slots[3].full" */
                ;
        } else if (me == 2) {
            while (!queue->next->slots[5].full) /* says: "queue->next->slots[5].full" */
                ;
        }
#pragma omp barrier
    }
    return 0;
}
