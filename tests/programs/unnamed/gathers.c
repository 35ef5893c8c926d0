/* SPDX-License-Identifier: Apache-2.0 */
/* Calls the library by name, or through a pointer as a table of functions has it. */
#include <stdlib.h>

void gather(void);

static void (*volatile chosen)(void) = gather;

int main(int count, char **arguments) {
    (void)arguments;
    if (count > 1) {
        gather();
    } else {
        chosen();
    }
    __asm__ volatile("");
    return 0;
}
