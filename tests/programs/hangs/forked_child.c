/* SPDX-License-Identifier: Apache-2.0 */
/* A child that was forked while another thread held a lock. */
#include "hangs.h"

#include <sys/prctl.h>
#include <sys/wait.h>

static omp_lock_t shared;

int main(void) {
    omp_init_lock(&shared);
#pragma omp parallel num_threads(2)
    {
        if (omp_get_thread_num() == 1) {
            omp_set_lock(&shared);
            meet(2);
            for (;;)
                pause();
        }
        meet(2);
        const pid_t child = fork();
        if (child == 0) {
            prctl(PR_SET_PDEATHSIG, 9);
            printf("child %d\n", (int)getpid());
            ready();
            omp_set_lock(&shared); /* expect: deadlock|waiting */
            _exit(0);
        }
        waitpid(child, NULL, 0);
        _exit(0);
    }
    return 0;
}
