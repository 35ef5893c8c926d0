/* SPDX-License-Identifier: Apache-2.0 */
/* Workers wait in loops of their own, of which no round is like the one before: they count, look at
 * the clock, pause for longer each time, and index by their number in the team. */
#include "hangs.h"

#include <time.h>

static volatile int backed_off; /* says: spins on "backed_off" */
static volatile int counted;    /* says: spins on "counted" */
static volatile int each[5];    /* says: spins on "each[3]" */
static volatile int timed;      /* says: spins on "timed" */

int main(void) {
    ready();
#pragma omp parallel num_threads(5)
    {
        const int member = omp_get_thread_num();
        if (member == 1) {
            int pauses = 1;
            while (!backed_off) {
                for (volatile int pause = 0; pause < pauses; pause++)
                    ;
                if (pauses < 1024)
                    pauses *= 2;
            }
        } else if (member == 2) {
            int rounds = 0;
            while (!counted) {
                if (++rounds == 100)
                    rounds = 0;
            }
        } else if (member == 3) {
            while (!each[omp_get_thread_num()]) /* expect: waiting */
                ;                               /* expect: waiting */
        } else if (member == 4) {
            const time_t end = time(NULL) + 100000;
            while (!timed && time(NULL) < end)
                ;
        }
#pragma omp barrier
        if (member == 0)
            backed_off = counted = each[3] = timed = 1;
    }
    return 0;
}
