/* SPDX-License-Identifier: Apache-2.0 */
/* Names of namespaces and classes in the bodies of regions, members of base classes and of those that
   are references. */
#include "record.h"

#include <omp.h>

int value = 1;

namespace outer {

int value = 2;

struct Base {
    int inherited = 30;
};

class Derived : public Base {
public:
    explicit Derived(int &reference) : reference_(reference) {}

    void region(int factor)
    {
#pragma omp parallel num_threads(3)
        {
            int own = omp_get_thread_num() * factor;
            NOTE(inherited);
            NOTE(::value);
            NOTE(own);
            HOLD();
            __asm__ volatile("" : : "r"(this), "r"(&own), "r"(&factor));
        }
    }

    int &reference_;
};

static void in_namespace(int factor)
{
    Derived object(factor);
#pragma omp parallel num_threads(3)
    {
        int own = omp_get_thread_num() * factor;
        NOTE(value);
        NOTE(::value);
        NOTE(object.reference_);
        NOTE(own);
        HOLD();
        __asm__ volatile("" : : "r"(&own), "r"(&factor), "r"(&object));
    }
}

} // namespace outer

int main(int argc, char **)
{
    int number = argc * 60;

    omp_set_dynamic(0);
    outer::Derived(number).region(argc * 7);
    outer::in_namespace(argc * 80);
    return 0;
}
