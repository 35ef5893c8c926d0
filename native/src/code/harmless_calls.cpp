// SPDX-License-Identifier: Apache-2.0
#include "code/harmless_calls.hpp"

#include "elf/address_space.hpp"

#include <algorithm>
#include <array>

namespace gdb_ompd::code {

namespace {

constexpr std::array harmless{
    Harmless{"sched_yield", Harmless::Result::zero},
    Harmless{"thrd_yield", Harmless::Result::zero},
    Harmless{"usleep", Harmless::Result::zero},
    Harmless{"sleep", Harmless::Result::zero},
    Harmless{"nanosleep", Harmless::Result::zero, 1, 16},
    Harmless{"clock_gettime", Harmless::Result::zero, 1, 16, true},
    Harmless{"gettimeofday", Harmless::Result::zero, 0, 16, true},
    Harmless{"time", Harmless::Result::unknown, 0, 8, true},
    Harmless{"std::chrono::_V2::steady_clock::now", Harmless::Result::unknown, -1, 0, true},
    Harmless{"std::chrono::_V2::system_clock::now", Harmless::Result::unknown, -1, 0, true},
    Harmless{"pthread_self", Harmless::Result::self},
    Harmless{"pthread_mutex_lock", Harmless::Result::zero},
    Harmless{"pthread_mutex_unlock", Harmless::Result::zero},
    Harmless{"pthread_cond_signal", Harmless::Result::zero},
    Harmless{"pthread_cond_broadcast", Harmless::Result::zero},
    Harmless{"errno_location"},
    Harmless{"omp_get_thread_num", Harmless::Result::thread_num},
    Harmless{"omp_get_num_threads", Harmless::Result::num_threads},
    Harmless{"omp_get_wtime", Harmless::Result::unknown, -1, 0, true},
    Harmless{"kmpc_flush"},
    Harmless{"kmpc_global_thread_num"},
};

const Harmless *known(std::string_view name) {
    const auto *const found = std::ranges::find(harmless, name, &Harmless::name);
    return found == harmless.end() ? nullptr : found;
}

// As GCC's runtime yields to tasks: LLVM's executes some.
bool does_nothing(const FunctionCode *code) {
    return code != nullptr && !code->instructions().empty() &&
           std::ranges::all_of(code->instructions(), [](const auto &each) {
               return each.operation == Operation::nothing ||
                      each.operation == Operation::give_back;
           });
}

}  // namespace

const Harmless *harmless_call(UserCalls &calls, const Instruction &call) {
    static constexpr Harmless nothing{};
    FunctionReader &functions = calls.functions();
    const auto target = calls.targets().destination(call);
    if (target && does_nothing(functions.function_at_start(*target))) {
        return &nothing;
    }
    if (const auto name = target ? functions.plain_name(*target) : std::nullopt) {
        return known(*name);
    }
    const Module *const module = functions.module_at(call.address);
    if (!target || module == nullptr || functions.module_at(*target) != nullptr) {
        return nullptr;
    }
    // The kernel's code for asking the time is in no file.
    const LinkedNames::Names &linked = calls.names().in(*module);
    const auto slot = std::ranges::find_if(linked, [&](const auto &one) {
        return functions.space().uint_at(TargetAddr{one.first}, pointer_size) == target;
    });
    return slot == linked.end() ? nullptr : known(slot->second);
}

}  // namespace gdb_ompd::code
