/* SPDX-License-Identifier: Apache-2.0 */
/* Waiting until the other threads sit still. */
#ifndef SETTLE_H
#define SETTLE_H

/* One thread calls it; each of the others calls done_working() when nothing is
   left for it but to wait in the OpenMP runtime, or to end as GCC's do with a
   nested region. settle(OTHERS) returns once OTHERS threads have done so and the
   kernel says that all that there are sleep. The examples need it for one reason:
   to look the same in each run's transcript. */
void settle(int others);
void done_working(void);

#endif
