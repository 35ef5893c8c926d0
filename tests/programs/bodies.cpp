// SPDX-License-Identifier: Apache-2.0
// Bodies of constructs in C++, one after the other: each says which construct it is of.
#include <omp.h>

extern "C" {
const char *body_function; // as GDB writes it
int body_line;             // of the construct's directive
int body_level;            // how many parallel regions are around it
int body_is_task;

__attribute__((noinline)) void body_reached(void) {
    __asm__ volatile("" ::: "memory");
}
}

namespace {

struct Sum {
    double value = 0;
    Sum &operator+=(const Sum &other) {
        value += other.value;
        return *this;
    }
};
#pragma omp declare reduction(add : Sum : omp_out += omp_in)

__attribute__((noinline)) void reached(const char *function, int line, int task = 0) {
    body_function = function;
    body_line = line;
    body_level = omp_get_level();
    body_is_task = task;
    body_reached();
}

bool is_chosen() {
    return omp_get_thread_num() == omp_get_num_threads() - 1;
}

} // namespace

static int function(int n) {
    const int line = __LINE__ + 1;
#pragma omp parallel num_threads(2)
    {
        if (is_chosen())
            reached("function", line);
#pragma omp barrier
    }
    return n + 1;
}

template <typename T> T instance(const char *name, T value) {
    const int line = __LINE__ + 1;
#pragma omp parallel num_threads(2)
    {
        if (is_chosen())
            reached(name, line);
        value = value + 0;
    }
    return value;
}

static double reduction(int n) {
    double total = 0;
    Sum sum;
    const int line = __LINE__ + 1;
#pragma omp parallel num_threads(2) reduction(+ : total) reduction(add : sum)
    {
        total += n;
        sum.value += n;
        if (is_chosen())
            reached("reduction", line);
    }
    return total + sum.value;
}

class Grid {
  public:
    explicit Grid(int size) : size_(size) {}
    void relax(int n) const;
    int operator()(int n);

  private:
    int size_;
};

void Grid::relax(int n) const {
    const int line = __LINE__ + 1;
#pragma omp parallel for num_threads(size_) schedule(static)
    for (int i = 0; i < 4; ++i)
        if (i == n)
            reached("Grid::relax", line);
}

int Grid::operator()(int n) {
    const int line = __LINE__ + 1;
#pragma omp parallel num_threads(size_)
    {
#pragma omp single
        if (n == 4)
            reached("Grid::operator()", line);
    }
    return n;
}

// Named as compilers name what they make of a task.
template <int N> __attribute__((noinline)) int omp_task_entry(int n) {
    const int line = __LINE__ + 1;
#pragma omp parallel num_threads(2)
    {
        if (is_chosen() && n > 0)
            reached("omp_task_entry<1>", line);
    }
    return n + N;
}

static void inlined(const char *name, int line, int *sum) {
    for (int i = 0; i < 3; i++)
        *sum += i;
    reached(name, line, 1);
    *sum += 1;
}

static int task(int n) {
#pragma omp parallel num_threads(2)
#pragma omp single
    {
        const int line = __LINE__ + 1;
#pragma omp task shared(n)
        inlined("task", line, &n);
#pragma omp taskwait
        const int loop = __LINE__ + 1;
#pragma omp taskloop shared(n)
        for (int i = 0; i < 2; i++)
            if (i == 1)
                inlined("task", loop, &n);
    }
    return n;
}

static int nested(int n) {
#pragma omp parallel num_threads(2)
    {
        if (is_chosen()) {
            const int line = __LINE__ + 1;
#pragma omp parallel num_threads(2) if (n > 1000)
            {
                reached("nested", line);
                n += 1;
            }
        }
    }
    return n;
}

// The region is the function's last act: optimised code jumps to the runtime.
const int TAIL = __LINE__ + 2;
__attribute__((noinline)) static void tail() {
#pragma omp parallel num_threads(2)
    {
        if (is_chosen())
            reached("tail", TAIL);
    }
}

template <typename T> struct Field {
    __attribute__((noinline)) int fill(const char *name) {
        const int line = __LINE__ + 1;
#pragma omp parallel num_threads(2)
        {
            if (is_chosen())
                reached(name, line);
        }
        return 1;
    }
};

int main() {
    int n = 1;
    n = function(n);
    n += static_cast<int>(instance("instance<double>", 1.0));
    n += instance("instance<int>", 1);
    n += Field<int>().fill("Field<int>::fill") + Field<double>().fill("Field<double>::fill");
    n += static_cast<int>(reduction(n));
    Grid grid(2);
    grid.relax(2);
    n += grid(4);
    n += omp_task_entry<1>(n);
    n += task(n);
    n += nested(n);
    tail();
    void (*volatile pointer)() = tail;
    pointer();
    const auto in_lambda = [&n](int size) {
        const int line = __LINE__ + 1;
#pragma omp parallel num_threads(size)
        {
            if (is_chosen())
                reached("operator()", line);
        }
        n += size;
    };
    in_lambda(2);
    return n == 0;
}
