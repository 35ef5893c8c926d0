/* SPDX-License-Identifier: Apache-2.0 */
/* A child that was forked while another thread was in a critical. */
#include "hangs.h"

#include <sys/prctl.h>
#include <sys/wait.h>

int main(void) {
#pragma omp parallel num_threads(2)
    {
        if (omp_get_thread_num() == 1) {
#pragma omp critical(gate)
            {
                meet(2);
                for (;;)
                    pause();
            }
        }
        meet(2);
        const pid_t child = fork();
        if (child == 0) {
            prctl(PR_SET_PDEATHSIG, 9);
            printf("child %d\n", (int)getpid());
            ready();
#pragma omp critical(gate) /* expect: deadlock|waiting */
            work(1);
            _exit(0);
        }
        waitpid(child, NULL, 0);
        _exit(0);
    }
    return 0;
}
