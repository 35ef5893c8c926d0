/* SPDX-License-Identifier: Apache-2.0 */
/* The one of a single waits for a message that does not come. */
#include "hangs.h"

#include <poll.h>

int main(void) {
    ready();
#pragma omp parallel num_threads(4)
    {
#pragma omp single
        poll(NULL, 0, -1); /* expect: waiting */ /* says: poll */
    }
    return 0;
}
