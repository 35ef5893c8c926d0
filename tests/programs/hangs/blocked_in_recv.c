/* SPDX-License-Identifier: Apache-2.0 */
/* A worker waits for a message that nobody sends, as a program of MPI's does. */
#include "hangs.h"

#include <sys/socket.h>

int main(void) {
    ready();
#pragma omp parallel num_threads(4)
    {
        if (omp_get_thread_num() == 2) {
            int ends[2];
            char byte;
            if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0)
                abort();
            if (recv(ends[0], &byte, 1, 0) != 1) /* expect: waiting */
                abort();
        }
    }
    return 0;
}
