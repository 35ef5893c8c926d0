/* SPDX-License-Identifier: Apache-2.0 */
/* A thread waits for a flag in a loop that does not read it again, as compilers make one of
 * "while (!stop)" where nothing says that others write it. */
#include "hangs.h"

static int stop;

int main(void) {
    ready();
#pragma omp parallel num_threads(2)
    {
        if (omp_get_thread_num() == 1 && !stop)
            for (;;) /* expect: waiting */ /* says: in an endless loop */
                ;
#pragma omp barrier
        stop = 1;
    }
    return 0;
}
