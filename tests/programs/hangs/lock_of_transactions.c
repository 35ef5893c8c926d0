/* SPDX-License-Identifier: Apache-2.0 */
/* Two threads take two locks in both orders. LLVM's runtime makes locks of transactions for the
 * hint, where the processor has these. */
#include "hangs.h"

static omp_lock_t locks[2]; /* says: held */

static void take_both(int first) {
    omp_set_lock(&locks[first]);
    meet(2);
    omp_set_lock(&locks[1 - first]); /* expect: deadlock|waiting */
    omp_unset_lock(&locks[1 - first]);
    omp_unset_lock(&locks[first]);
}

int main(void) {
#ifdef __clang__
    for (int i = 0; i < 2; i++)
        omp_init_lock_with_hint(&locks[i], omp_sync_hint_speculative);
#else
    for (int i = 0; i < 2; i++)
        omp_init_lock(&locks[i]);
#endif
    ready();
#pragma omp parallel num_threads(2)
    take_both(omp_get_thread_num());
    return 0;
}
