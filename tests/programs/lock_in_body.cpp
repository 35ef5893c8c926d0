/* SPDX-License-Identifier: Apache-2.0 */
/* GCC has the function of a construct's body inside of the one around it. Where that keeps a pointer
   to its variable, the inner body's frame has pointers to the lock. */
#include <omp.h>

struct Pair {
    int first;
    double second[2];
};

static omp_lock_t gate;

struct Base {
    virtual void wait() = 0;
};

struct Waiter final : Base {
    void wait() override {
        {
            Pair pair = {1, {2, 3}};
#pragma omp task firstprivate(pair)
            {
                pair.first++;
#pragma omp parallel num_threads(1) shared(pair)
                {
                    omp_lock_t *locks[12];
                    for (int i = 0; i < 12; i++)
                        locks[i] = &gate;
                    pair.first++;
                    omp_test_lock(locks[pair.first % 12]);
                    omp_set_lock(&gate);
                }
            }
#pragma omp taskwait
        }
    }
};

int main() {
    omp_init_lock(&gate);
    Waiter waiter;
    Base *base = &waiter;
    base->wait();
    return 0;
}
