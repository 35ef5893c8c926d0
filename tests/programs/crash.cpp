// SPDX-License-Identifier: Apache-2.0
/* Thread 2 of a team of 4 crashes, in the way that the first argument names, while the
 * others wait for it; the line of each says what the verdict is to say. */
#include <cassert>
#include <cstdlib>
#include <cstring>
#include <omp.h>
#include <stdexcept>
#include <string>
#include <unistd.h>

static volatile int *nowhere;
static const char *volatile unmapped = reinterpret_cast<const char *>(16);
static volatile int none;

static __attribute__((noinline)) int crash(const std::string &how) {
    if (how == "null")
        return *nowhere; /* null */
    if (how == "abort")
        std::abort(); /* abort */
    if (how == "assert")
        assert(how.empty()); /* assert */
    if (how == "throw")
        throw std::runtime_error(how); /* throw */
    if (how == "copy")
        return static_cast<int>(std::strlen(unmapped)); /* copy */
    return how == "divide" ? (none + 64) / none : 0; /* divide */
}

int main(int argc, char **argv) {
    const std::string how = argc > 1 ? argv[1] : "";
    int sum = 0;
#pragma omp parallel num_threads(4) reduction(+ : sum) /* region */
    {
#pragma omp barrier
        if (omp_get_thread_num() == 2) {
            usleep(50000); // the others come to the barrier meanwhile
            sum += crash(how);
        }
#pragma omp barrier
    }
    return sum;
}
