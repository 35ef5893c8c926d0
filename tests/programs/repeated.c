// SPDX-License-Identifier: Apache-2.0
// An instruction that repeats itself a billion times, as in memset: GDB would step that often.

static char kept[1 << 30];

static void clear(void) {
    char *at = kept;
    unsigned long count = sizeof kept;
    __asm__ volatile("repeated: rep stosb" : "+D"(at), "+c"(count) : "a"(0) : "memory");
    kept[0] = 1;
}

int main(void) {
#pragma omp parallel num_threads(2)
    {
#pragma omp master
        clear();
    }
    return kept[0] - 1;
}
