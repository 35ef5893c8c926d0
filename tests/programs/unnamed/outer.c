/* SPDX-License-Identifier: Apache-2.0 */
/* A library around the one that has regions, as Octave's is around OpenBLAS. */
void gather(void);

void run_all(void) {
    gather();
    __asm__ volatile("");
}
