/* SPDX-License-Identifier: Apache-2.0 */
/* Threads wait in what C++ has in templates, which optimised code has inlined. */
#include <omp.h>

#include <barrier>
#include <cstdio>
#include <latch>
#include <semaphore>

static std::latch opened(9);
static std::barrier<> met(9);
static std::counting_semaphore<4> posted(0);

int main() {
    std::puts("ready");
    std::fflush(stdout);
#pragma omp parallel num_threads(3)
    switch (omp_get_thread_num()) {
    case 0:
        opened.wait();
        break;
    case 1:
        met.arrive_and_wait();
        break;
    case 2:
        posted.acquire();
        break;
    }
    return 0;
}
