/* SPDX-License-Identifier: Apache-2.0 */
/* A shared library with one symbol of each kind. SHADOW differs between the two
   libraries that are built from it. */

int sample_data = 5;
static int sample_static = 6;
__attribute__((weak)) int sample_weak = 7;
int shadowed = SHADOW;
__thread long sample_tls_first = 8;
__thread long sample_tls = 9;

static int sample_helper(int number) { return number + sample_static; }
int sample_function(int number) { return sample_helper(number); }

static int (*choose(void))(int) { return sample_function; }
int sample_indirect(int number) __attribute__((ifunc("choose")));

void *sample_tls_address(void) { return &sample_tls; }

/* The label must lie behind code that no function's range holds. */
__asm__(".pushsection .text\n"
        ".globl sample_label\n"
        "sample_label:\n"
        ".zero 16\n"
        ".popsection\n");

#if SHADOW == 1
int only_first = 1;
#else
int only_second = 2;
#endif
