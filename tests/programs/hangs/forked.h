/* SPDX-License-Identifier: Apache-2.0 */
#ifndef FORKED_H
#define FORKED_H

#include <sys/prctl.h>
#include <sys/wait.h>

/* Whether this is the child: the parent names it, waits for it, and ends. */
static int forked(void) {
    const pid_t child = fork();
    if (child == 0) {
        prctl(PR_SET_PDEATHSIG, 9);
        printf("child %d\n", (int)getpid());
        return 1;
    }
    waitpid(child, 0, 0);
    return 0;
}

#endif
