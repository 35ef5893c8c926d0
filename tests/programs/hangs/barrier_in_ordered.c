/* SPDX-License-Identifier: Apache-2.0 */
/* The thread whose turn it is waits at a barrier inside of the ordered construct, the others for
 * their turns. */
#include "hangs.h"

__attribute__((noinline)) static void wait_for_all(void) {
#pragma omp barrier /* expect: deadlock */
    work(1);
}

int main(void) {
    ready();
#pragma omp parallel num_threads(3) /* gcc: here */
    {
#pragma omp for ordered schedule(static, 1)
        for (int i = 0; i < 3; i++) {
#pragma omp ordered /* expect: deadlock */
            wait_for_all();
        }
    }
    return 0;
}
