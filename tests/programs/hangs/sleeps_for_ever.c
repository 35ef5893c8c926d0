/* SPDX-License-Identifier: Apache-2.0 */
/* A thread sleeps again and again, as one that waits for a debugger does. */
#include "hangs.h"

int main(void) {
    ready();
#pragma omp parallel num_threads(2)
    {
        if (omp_get_thread_num() == 1)
            for (;;)
                sleep(1000); /* expect: waiting */ /* says: blocked in sleep() */
    }
    return 0;
}
