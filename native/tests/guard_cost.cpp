// SPDX-License-Identifier: Apache-2.0
// Usage: guard_cost
//
// Prints what a guarded call costs beside a bare one, and a guard by itself.
#include "ompd/library.hpp"
#include "ompd/signal_guard.hpp"

#include <chrono>
#include <cstdio>

namespace {

template <class Body> double nanoseconds_each(int times, Body &&body) {
    double best = 1e300;
    for (int round = 0; round < 5; ++round) {
        const auto begin = std::chrono::steady_clock::now();
        for (int i = 0; i < times; ++i) {
            body();
        }
        const std::chrono::duration<double, std::nano> took =
            std::chrono::steady_clock::now() - begin;
        best = std::min(best, took.count() / times);
    }
    return best;
}

}  // namespace

int main() {
    using namespace gdb_ompd;
    Library library(FAKE_LIBOMPD);
    const auto &function = library.functions().get_api_version;
    ompd_word_t version = 0;
    const double bare = nanoseconds_each(1'000'000, [&] { function.pointer(&version); });
    const double alone =
        nanoseconds_each(10'000, [&] { static_cast<void>(library.api_version()); });
    const double guard = nanoseconds_each(10'000, [] { const SignalGuard one; });
    const GuardSpan command;
    const double guarded =
        nanoseconds_each(1'000'000, [&] { static_cast<void>(library.api_version()); });
    std::printf("a bare call: %.1f ns\na guarded call: %.1f ns\n", bare, guarded);
    std::printf("a guard, once per command: %.1f ns\na guarded call by itself: %.1f ns\n", guard,
                alone);
}
