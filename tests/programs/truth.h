/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a program knows about itself when the debugger stops it.
 *
 * Every thread fills its slot with what omp_get_* answer, then sits still.
 * One thread leads: it waits until the others have recorded, then calls
 * truth_stop(), where gdb breaks. Constructs are numbered as the program
 * meets them; number 0 is the initial task. A worker that recorded nothing
 * since the last stop is idle.
 */
#ifndef TRUTH_H
#define TRUTH_H

#ifdef __cplusplus
extern "C" {
#endif

enum truth_construct_kind {
    TRUTH_INITIAL = 0, /* the initial task: construct 0 */
    TRUTH_PARALLEL = 1,
    TRUTH_TASK = 2,
    TRUTH_TEAMS = 3
};

/* Number the construct that starts on the next line of the program. */
#define TRUTH_NEXT(kind) truth_construct((kind), __FILE__, __LINE__ + 1, __func__)

/* The caller will now wait in the runtime, at the construct LINES below. */
#define TRUTH_WAITS(state, lines) truth_waits((state), __LINE__ + (lines), __func__)

/* Number a construct that the calling thread's current task is about to meet. */
int truth_construct(int kind, const char *file, int line, const char *function);

/* Say that the task of a construct begins, or ends, on this thread. */
void truth_begin(int construct);
void truth_end(int construct);

/* Record, then wait for the leader's stop to be over. */
void truth_hold(void);

/* Record; the caller goes on to wait in the runtime, in the OMPT state STATE. */
void truth_waits(const char *state, int line, const char *function);

/* Record, wait for OTHERS to have recorded and to sit still, and stop. */
void truth_lead(int others);

/* Record a thread that never uses OpenMP, and hold it until the program ends. */
void truth_hold_native(void);
void truth_release_natives(void);

/* Say that the program, not the runtime, made this thread. Not for the first one. */
void truth_made_by_program(void);

/* gdb breaks here. */
void truth_stop(void);

#ifdef __cplusplus
}
#endif

#endif
