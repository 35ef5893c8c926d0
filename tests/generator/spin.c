/* SPDX-License-Identifier: Apache-2.0 */
/* Where the threads of a generated program work: with -DUNTOLD as in hand-written kernels, in a
 * frame that neither unwind information nor a usual prologue tells of. */

#if defined(UNTOLD) && defined(__x86_64__)
__asm__(".globl record_spin\n"
        ".type record_spin, @function\n"
        "record_spin:\n"
        "push %rbx\n"
        "push %r12\n"
        "mov %rsp, %r12\n"
        "sub $0x1c0, %rsp\n"
        "and $-64, %rsp\n"
        "mov $0x1234, %rbx\n"
        "1: mov %edi, 8(%rsp)\n"
        "dec %edi\n"
        "jg 1b\n"
        "mov %r12, %rsp\n"
        "pop %r12\n"
        "pop %rbx\n"
        "ret\n"
        ".size record_spin, . - record_spin\n");
#else
void record_spin(int amount) {
    for (volatile int i = 0; i < amount; i++) {
    }
}
#endif
