/* SPDX-License-Identifier: Apache-2.0 */
/* Members of a captured "this", references, a template's instances, lambdas, virtual bases. */
#include "record.h"

#include <omp.h>

namespace {

constexpr int SIZE = 3;
int width = -9; // a local variable of hiding() hides it

class Field {
public:
    explicit Field(int width) : width_(width), sum_(width * 0.5) {}

    void relax(const double &weight)
    {
        double local = 0;
#pragma omp parallel num_threads(SIZE) private(local)
        {
            local = omp_get_thread_num() * weight;
            NOTE(this->width_);
            NOTE(this->sum_);
            NOTE(local);
            NOTE(weight);
            HOLD();
            __asm__ volatile("" : : "r"(this), "r"(&local), "r"(&weight));
            local += sum_ + width_;
        }
    }

private:
    int width_;
    double sum_;
};

template <typename Number> void scale(Number factor)
{
    Number result = factor;
#pragma omp parallel num_threads(SIZE) firstprivate(result) shared(factor)
    {
        result += static_cast<Number>(omp_get_thread_num());
        NOTE(result);
        NOTE(factor);
        HOLD();
        __asm__ volatile("" : : "r"(&result), "r"(&factor));
        result += factor;
    }
}

void with_lambda(int start)
{
    int captured = start;
    auto work = [&captured, start](int thread) {
        int inside = captured + thread;
        NOTE(inside);
        NOTE(thread);
        NOTE(captured);
        NOTE(start);
        HOLD();
        __asm__ volatile("" : : "r"(&inside), "r"(&captured), "r"(&start));
        inside += thread;
    };
#pragma omp parallel num_threads(SIZE)
    work(omp_get_thread_num());
}

void hiding(int start)
{
    int width = start;
#pragma omp parallel num_threads(SIZE) firstprivate(width)
    {
        width += omp_get_thread_num();
        auto work = [=](int factor) {
            int area = width * factor;
            NOTE(area);
            NOTE(width);
            HOLD();
            __asm__ volatile("" : : "r"(&area), "r"(&width));
        };
        work(2);
    }
}

struct Top {
    virtual ~Top() = default;
    int top = 0;
};

struct Left : virtual Top {
    int left = 1;
};

struct Right : virtual Top {
    int right = 2;
};

struct Bottom : Left, Right {
    int bottom = 3;
};

void derived()
{
    Bottom object;
#pragma omp parallel num_threads(SIZE) firstprivate(object)
    {
        Top *part = &object;
        object.top = omp_get_thread_num() + 40;
        NOTE(object.top);
        NOTE(part->top);
        HOLD();
        __asm__ volatile("" : : "r"(&object), "r"(&part));
    }
}

} // namespace

int main(int argc, char **)
{
    omp_set_dynamic(0);
    Field(argc * 8).relax(argc * 1.5);
    scale<double>(argc * 0.125);
    scale<int>(argc * 9);
    with_lambda(argc * 50);
    width -= argc;
    hiding(argc * 70);
    derived();
    return 0;
}
