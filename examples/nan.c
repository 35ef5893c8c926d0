/* SPDX-License-Identifier: Apache-2.0 */
/* Eight threads add up roots, each of its part of a list. One sum is not a number, and with it
   the total: which thread's, and by which element? */
#include "settle.h"

#include <math.h>
#include <omp.h>
#include <stdio.h>

enum { THREADS = 8, EACH = 100 };

struct part {
    int first;
    double sum;
    double largest[2]; /* the last two that were the largest so far */
    int at;            /* the element that was added last */
};

static double list[THREADS * EACH];

static void not_finite(double total)
{
    printf("total: %f\n", total);
}

static void add(struct part *part)
{
    for (int i = part->first; i < part->first + EACH && !isnan(part->sum); i++) {
        const double root = sqrt(list[i]);
        if (root > part->largest[0]) {
            part->largest[1] = part->largest[0];
            part->largest[0] = root;
        }
        part->sum += root;
        part->at = i;
    }
}

int main(void)
{
    int finite = 0;
    double total = 0;
    omp_set_dynamic(0);
    for (int i = 0; i < THREADS * EACH; i++)
        list[i] = i % 4;
    list[537] = -1;

    #pragma omp parallel num_threads(THREADS) reduction(+ : finite)
    {
        struct part part = {EACH * omp_get_thread_num(), 0, {0, 0}, 0};
        add(&part);
        finite = !isnan(part.sum);
        #pragma omp critical
        total += part.sum;
        if (omp_get_thread_num() == 0) {
            settle(THREADS - 1);
            if (isnan(total))
                not_finite(total);
        } else {
            done_working();
        }
        #pragma omp barrier
    }
    printf("finite sums: %d of %d\n", finite, THREADS);
    return 0;
}
