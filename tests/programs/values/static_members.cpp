// SPDX-License-Identifier: Apache-2.0
// Static members that their classes give a value, and a local variable below a static one of its name.
#include <cstdio>

template <class T> struct Box {
    static inline int count = 7;
    static inline T total{};
    static void fill() {
#pragma omp parallel num_threads(2)
        {
#pragma omp single
            total = 4;
            std::printf("%d\n", count); // in the class
        }
    }
};

struct Plain {
    enum Kind { first, second };
    static inline Kind kind = second;
    static int old;
};
int Plain::old = 13;

static int level = 5;
static int shadowed(int given) { int level = 2 * given;
#pragma omp parallel num_threads(2)
    {
        std::printf("%d\n", level); // below the static one
#pragma omp barrier
    }
    return level;
}

int main() {
    Box<double>::fill();
    return shadowed(4) + level + Plain::old + Plain::kind == 0;
}
