/* SPDX-License-Identifier: Apache-2.0 */
/* A program without symbols that calls the library. */
void begin_work(void);

__attribute__((noinline)) static void call(void) {
    begin_work();
    __asm__ volatile("");
}

int main(void) {
    call();
    return 0;
}
