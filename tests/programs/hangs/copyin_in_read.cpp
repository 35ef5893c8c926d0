// SPDX-License-Identifier: Apache-2.0
/* A thread waits for input while it copies its threadprivate object, the others for it. */
#include <omp.h>
#include <unistd.h>

#include <cstdio>

static int ends[2];

struct Slow {
    int value = 0;

    Slow &operator=(const Slow &other) { /* gcc: here */
        char byte;
        if (omp_get_thread_num() == 1 &&
            read(ends[0], &byte, 1) == 1) /* expect: waiting */ /* says: at barrier */
            value = other.value;
        return *this;
    }
};

extern Slow kept;
#pragma omp threadprivate(kept)  // gcc wants it before the definition
Slow kept;

int main() {
    int sum = pipe(ends);
    std::puts("ready");
    std::fflush(stdout);
#pragma omp parallel num_threads(3) copyin(kept) reduction(+ : sum)
    sum += kept.value;
    return sum;
}
