/* SPDX-License-Identifier: Apache-2.0 */
/* A library for loader.c: a task outside of all regions. */

__attribute__((noinline)) static void at_task(void) {
    __asm__ volatile("" ::: "memory");
}

int plugin_run(void) {
#pragma omp task
    at_task();
    return 5;
}
