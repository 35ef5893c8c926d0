/* SPDX-License-Identifier: Apache-2.0 */
/* One region after the other, for ever, in which each thread goes through the same lines. */
static volatile long rounds;

static void work(volatile long *mine) {
    *mine += 1;
    *mine += 2;
}

static void one_round(void) {
#pragma omp parallel num_threads(2)
    {
        volatile long mine = 0;
        work(&mine);
        mine = 0;
    }
    rounds++;
}

int main(void) {
    for (;;)
        one_round();
}
