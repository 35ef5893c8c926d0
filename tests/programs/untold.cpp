/* SPDX-License-Identifier: Apache-2.0 */
/* Variables whose place compilers do not describe, or not rightly: of the bodies of untied tasks,
 * and of constructs in a constructor. Each notes its value. */
#include <omp.h>

struct pair {
    int first;
    double second[2];
};
static int base = 1, second = 2, kept = 3, given = 4;
volatile double noted_base, noted_second, noted_kept, noted_given;

extern "C" __attribute__((noinline)) void untied_stop(int) { __asm__ volatile("" ::: "memory"); }
extern "C" __attribute__((noinline)) void constructor_stop() { __asm__ volatile("" ::: "memory"); }

static void untied(int count)
{
#pragma omp parallel num_threads(1)
#pragma omp task untied firstprivate(count)
    {
        double base = (double)(count * 7), &second = base;
        pair kept = {count * 7 + 70, {0.5, 8}};
        int given = count * 3;
        noted_base = base;
        noted_second = second;
        noted_kept = kept.first;
        noted_given = given;
        untied_stop(kept.first);
        untied_stop(kept.first + given);
        noted_base = base + second;
    }
}

struct made {
    explicit made(int given)
    {
        long kept = given * 3;
#pragma omp parallel num_threads(1)
        {
            long base = omp_get_level() * 34 + given;
            noted_base = base;
            noted_kept = kept;
            noted_given = given;
            __asm__ volatile("" : : "r"(&base), "r"(&kept), "r"(&given) : "memory");
            constructor_stop();
            __asm__ volatile("" : : "r"(&base), "r"(&kept), "r"(&given) : "memory");
        }
    }
};

int main(int argc, char **)
{
    __asm__ volatile("" : : "r"(&base), "r"(&second), "r"(&kept), "r"(&given) : "memory");
    made it(argc * 20);
    untied(argc * 20);
    return 0;
}
