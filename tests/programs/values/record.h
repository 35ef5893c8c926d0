/* SPDX-License-Identifier: Apache-2.0 */
/* What the threads of a team have in their variables, as they note it themselves before
   they stand still. */
#ifndef RECORD_H
#define RECORD_H

#ifdef __cplusplus
extern "C" {
#endif

/* Note the value that EXPRESSION has in the calling thread. */
void values_note(const char *expression, double value);

/* Wait until all threads of the team stand still here: then the one with the last number
   calls values_stop(). */
void values_hold(void);

/* gdb breaks here. */
void values_stop(void);

#define NOTE(expression) values_note(#expression, (double)(expression))
/* The frame that called is to be there: no jump. */
#define HOLD()                                                                                   \
    do {                                                                                         \
        values_hold();                                                                           \
        __asm__ volatile("" : : : "memory");                                                     \
    } while (0)

#ifdef __cplusplus
}
#endif

#endif
