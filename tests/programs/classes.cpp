// SPDX-License-Identifier: Apache-2.0
// Regions and tasks in a method, a template and a lambda.
#include "truth.h"

#include <omp.h>

namespace {

void lead_or_hold(int others) {
    if (omp_get_ancestor_thread_num(1) == 0 && omp_get_ancestor_thread_num(2) <= 0)
        truth_lead(others);
    else
        truth_hold();
}

} // namespace

// The debugger prints a function with its class; __func__ is without.
static int next_in(const char *function, int kind, int line) {
    return truth_construct(kind, __FILE__, line + 1, function);
}

template <typename T> T smooth(T value) {
    const int region = next_in("smooth<double>", TRUTH_PARALLEL, __LINE__);
#pragma omp parallel num_threads(2)
    {
        truth_begin(region);
        lead_or_hold(3);
        truth_end(region);
    }
    return value;
}

class Grid {
  public:
    explicit Grid(int size) : size_(size) {}
    void relax();
    void visit();

  private:
    int size_;
};

void Grid::relax() {
    const int region = next_in("Grid::relax", TRUTH_PARALLEL, __LINE__);
#pragma omp parallel num_threads(size_)
    {
        truth_begin(region);
        lead_or_hold(1);
        smooth(1.0);
        truth_end(region);
    }
}

void Grid::visit() {
    const int region = next_in("Grid::visit", TRUTH_PARALLEL, __LINE__);
#pragma omp parallel num_threads(size_)
    {
        truth_begin(region);
        if (omp_get_thread_num() == 0) {
            const int task = next_in("Grid::visit", TRUTH_TASK, __LINE__);
#pragma omp task if (0)
            {
                truth_begin(task);
                truth_lead(1);
                truth_end(task);
            }
        } else {
            truth_hold();
        }
        truth_end(region);
    }
}

int main() {
    omp_set_max_active_levels(2);
    Grid grid(2);
    grid.relax();
    grid.visit();
    const auto in_lambda = [](int size) {
        const int region = next_in("operator()", TRUTH_PARALLEL, __LINE__);
#pragma omp parallel num_threads(size)
        {
            truth_begin(region);
            lead_or_hold(2);
            truth_end(region);
        }
    };
    in_lambda(3);
    return 0;
}
