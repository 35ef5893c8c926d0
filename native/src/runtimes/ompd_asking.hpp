// SPDX-License-Identifier: Apache-2.0
// How facts are made of what an OMPD library answers or refuses.
#pragma once

#include "base/errors.hpp"
#include "model/facts.hpp"
#include "ompd/handles.hpp"

#include <memory>
#include <string>
#include <type_traits>
#include <utility>

namespace gdb_ompd {

// The function that failed, null if none did, and its code.
struct Failure {
    const char *function = nullptr;
    ompd_rc_t code = ompd_rc_ok;
};

// NAME as one of the names of OMPD's functions, which live for ever.
inline const char *constant_name(const std::string &name) {
#define GDB_OMPD_COMPARE(member, ...)                                                              \
    if (name == function_names.member.name) {                                                      \
        return function_names.member.name;                                                         \
    }
    GDB_OMPD_FUNCTIONS(GDB_OMPD_COMPARE)
#undef GDB_OMPD_COMPARE
    return "ompd";
}

// Execute ASK, which calls FUNCTION of the library, and may return a failure. Where one fails,
// only what it was asked for is unknown.
template <class Ask> Failure failure_of(const char *function, Ask &&ask) {
    try {
        if constexpr (std::is_same_v<decltype(ask()), Failure>) {
            return ask();
        } else {
            ask();
        }
    } catch (const OmpdError &error) {
        return {error.call() == function ? function : constant_name(error.call()), error.code()};
    } catch (const MemoryUnreadable &) {
        return {function, ompd_rc_error};
    }
    return {};
}

template <class T, class Ask> Fact<T> ask_fact(const char *function, Ask &&ask) {
    Fact<T> fact;
    const Failure failure = failure_of(function, [&] { fact.value = ask(); });
    fact.failed = failure.function;
    fact.code = failure.code;
    return fact;
}

// Call PLACE with what a call told, or return why it told nothing.
template <class T, class Place> Failure take(Answered<T> answered, Place &&place) {
    if (answered.code != ompd_rc_ok) {
        return {answered.call, answered.code};
    }
    place(std::move(answered.value));
    return {};
}

// A handle, or the function that gave none and its code.
template <class H> struct Asked {
    std::unique_ptr<H> handle;
    Failure failure;

    // Whether the function says that there is none: the end of a chain. LLVM's library
    // calls that unsupported.
    [[nodiscard]] bool none() const noexcept {
        return failure.code == ompd_rc_unavailable || failure.code == ompd_rc_unsupported;
    }
    template <class T> [[nodiscard]] Fact<T> unknown() const {
        return Fact<T>::unknown(failure.function, failure.code);
    }
};

// The handle that OBTAIN gives, which calls FUNCTION of the library.
template <class H, class Obtain> Asked<H> ask_handle(const char *function, Obtain &&obtain) {
    Asked<H> asked;
    const Failure thrown = failure_of(function, [&] {
        Obtained<H> obtained = obtain();
        asked.handle = std::move(obtained.handle);
        asked.failure = {asked.handle == nullptr ? obtained.call : nullptr, obtained.code};
    });
    if (thrown.function != nullptr) {
        asked.failure = thrown;
    }
    return asked;
}

// The handle that FUNCTION, of which FROM is the first argument, gives out.
template <class H, class From, class Signature, class... Arguments>
Asked<H> ask_handle(const From &from, Function<Signature> Functions::*function,
                    Arguments... arguments) {
    return ask_handle<H>((function_names.*function).name,
                         [&] { return from.template obtain<H>(function, arguments...); });
}

inline Asked<ParallelHandle> curr_parallel(const ThreadHandle &thread) {
    return ask_handle<ParallelHandle>(thread, &Functions::get_curr_parallel_handle);
}

inline Asked<ParallelHandle> enclosing_parallel(const ParallelHandle &region) {
    return ask_handle<ParallelHandle>(region, &Functions::get_enclosing_parallel_handle);
}

inline Asked<ParallelHandle> task_parallel(const TaskHandle &task) {
    return ask_handle<ParallelHandle>(task, &Functions::get_task_parallel_handle);
}

inline Asked<ThreadHandle> thread_in_parallel(const ParallelHandle &region, int thread_num) {
    return ask_handle<ThreadHandle>(region, &Functions::get_thread_in_parallel, thread_num);
}

inline Asked<TaskHandle> curr_task(const ThreadHandle &thread) {
    return ask_handle<TaskHandle>(thread, &Functions::get_curr_task_handle);
}

inline Asked<TaskHandle> task_in_parallel(const ParallelHandle &region, int thread_num) {
    return ask_handle<TaskHandle>(region, &Functions::get_task_in_parallel, thread_num);
}

inline Asked<TaskHandle> generating_task(const TaskHandle &task) {
    return ask_handle<TaskHandle>(task, &Functions::get_generating_task_handle);
}

inline Asked<TaskHandle> scheduling_task(const TaskHandle &task) {
    return ask_handle<TaskHandle>(task, &Functions::get_scheduling_task_handle);
}

// 0 for a task that has none, such as the initial one.
inline Fact<TargetAddr> task_function(const TaskHandle &task) {
    Fact<TargetAddr> fact{TargetAddr{0}};
    const Failure failure = failure_of(function_names.get_task_function.name, [&] {
        return take(task.ask_function(), [&](TargetAddr entry) { fact.value = entry; });
    });
    const bool is_known = failure.function == nullptr || failure.code == ompd_rc_unavailable;
    return is_known ? fact : Fact<TargetAddr>::unknown(failure.function, failure.code);
}

}  // namespace gdb_ompd
