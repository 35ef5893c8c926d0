/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A thread outside of the team fulfills the event of its last task, once all of the team sleep at
 * the barrier: GCC's runtime wakes one of them, which sleeps again. LLVM's goes on.
 */
#include "../hangs.h"

static omp_event_handle_t kept;
static atomic_int made;

static void *fulfill(void *unused) {
    while (!atomic_load(&made))
        usleep(1000);
    usleep(300000);
    omp_fulfill_event(kept);
    ready();
    return unused;
}

int main(void) {
    pthread_t outside;
    pthread_create(&outside, NULL, fulfill, NULL);
#pragma omp parallel num_threads(3)
    {
#pragma omp single nowait
        {
            omp_event_handle_t event;
#pragma omp task detach(event)
            {
                kept = event;
                atomic_store(&made, 1);
            }
        }
#pragma omp barrier /* expect: waiting */
    }
    return pthread_join(outside, NULL);
}
