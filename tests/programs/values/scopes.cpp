/* SPDX-License-Identifier: Apache-2.0 */
/* Names of namespaces and classes in the bodies of regions and in lambdas, members of base classes
   and of those that are references, and threadprivate variables of a namespace and a class that are
   copied in, also beside a local variable of the same name. */
#include "record.h"

#include <omp.h>

int value = 1;
int called = -3;

namespace outer {

int copied = 10;
#pragma omp threadprivate(copied)

int value = 2;

struct Base {
    int inherited = 30;
};

class Derived : public Base {
public:
    explicit Derived(int &reference) : reference_(reference) {}

    void region(int factor) {
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

    void with_own() {
#pragma omp parallel num_threads(3) copyin(kept)
        {
            kept += omp_get_thread_num();
            NOTE(kept);
            HOLD();
        }
    }

    void with_lambda(int factor) {
        called = factor;
        auto work = [this](int thread) {
            NOTE(thread);
            NOTE(called);
            NOTE(this->called);
            NOTE(inherited);
            HOLD();
            return called + thread;
        };
#pragma omp parallel num_threads(3)
        {
            volatile int result = work(omp_get_thread_num());
            (void)result;
        }
    }

    static int kept;
#pragma omp threadprivate(kept)
    int &reference_;
    int called = 0;
};

int Derived::kept = 20;

static void in_namespace(int factor) {
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

static void with_copies() {
#pragma omp parallel num_threads(3) copyin(copied)
    {
        copied += omp_get_thread_num();
        NOTE(copied);
        HOLD();
    }
}

}  // namespace outer

static void beside(int copied) {
#pragma omp parallel num_threads(3) copyin(outer::copied) firstprivate(copied)
    {
        outer::copied += omp_get_thread_num();
        copied += omp_get_thread_num();
        NOTE(copied);
        NOTE(outer::copied);
        HOLD();
        __asm__ volatile("" : : "r"(&copied));
    }
}

int main(int argc, char **) {
    int number = argc * 60;

    omp_set_dynamic(0);
    outer::Derived(number).region(argc * 7);
    outer::in_namespace(argc * 80);
    outer::Derived(number).with_own();
    outer::Derived(number).with_lambda(argc * 9);
    outer::with_copies();
    beside(argc * 90);
    return 0;
}
