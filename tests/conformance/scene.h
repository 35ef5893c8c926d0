/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the client of the conformance suite looks at: itself, stopped in an explicit task of
 * thread 0 of a region of two, begun by thread 0 of a region of three.
 */
#ifndef SCENE_H
#define SCENE_H

#ifdef __cplusplus
extern "C" {
#endif

enum { SCENE_OUTER = 3, SCENE_INNER = 2, SCENE_THREADS = SCENE_OUTER + SCENE_INNER - 1 };
enum scene_stop { SCENE_IN_TASK, SCENE_AFTER };

/* By the innermost thread number: the inner team, then the rest of the outer one. */
struct scene_thread {
    unsigned long pthread;
    int lwp;
};
extern struct scene_thread scene_threads[SCENE_THREADS];

/* Call AT_STOP in the task, and again when every region has ended. */
void scene_run(void (*at_stop)(enum scene_stop));

#ifdef __cplusplus
}
#endif

#endif
