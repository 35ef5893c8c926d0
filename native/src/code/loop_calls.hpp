// SPDX-License-Identifier: Apache-2.0
// The calls by which user code shares out the iterations of a worksharing loop, and which of them a
// place in a function is behind.
#pragma once

#include "code/control_flow.hpp"
#include "code/linked_names.hpp"
#include "code/user_calls.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gdb_ompd::code {

enum class LoopStep : std::uint8_t { begins, shares_out_all, goes_on, ends };

// Arguments are counted from 0, -1 for none. LOWER and UPPER are addresses of where the runtime
// writes the bounds of what the thread is to execute; UPPER is part of that but in GCC's code.
struct LoopCall {
    LoopStep step = LoopStep::begins;
    int lower = -1, upper = -1, stride = -1;
    int schedule = -1, chunk = -1;
    int first = -1, increment = -1;  // of the loop's values
    bool is_gccs = false;
    bool is_unsigned = false;
    std::uint8_t width = 8;  // of the bounds
};

// None where the function has nothing to do with such loops. Names are in the room of runtimes.
[[nodiscard]] std::optional<LoopCall> loop_call(std::string_view function);

// Whether a schedule, as clang's code names it, gives a thread one chunk after the other.
[[nodiscard]] bool is_static_in_chunks(std::int64_t schedule);

// The loop around a place in a function.
struct LoopAround {
    LoopCall call;          // by which the thread got what it executes
    std::size_t index = 0;  // the instruction
    // The loop's beginning, where it is in the same function.
    std::optional<LoopCall> begin;
    std::size_t begin_index = 0;
};

// How GCC's code shares out a loop by itself: each thread has the same number of iterations, and
// the first threads one more where the division has a remainder. Or they have chunks in turn.
struct LoopDivision {
    std::size_t called = 0;         // the instruction that asks for the number of threads
    std::size_t number_of = 0;      // that asks for the thread's
    std::size_t index = 0;          // that divides the number of iterations by it
    std::size_t guard = 0;          // that asks whether the thread has any iteration
    bool may_be_in_chunks = false;  // INDEX is GUARD, which may ask something else
};

// The instructions that may be executed after those of FROM, without what is behind one of AVOIDED.
[[nodiscard]] std::vector<bool> reached(const ControlFlow &flow, std::vector<std::size_t> from,
                                        const std::vector<bool> &avoided);

class LoopCalls {
public:
    // CALLS outlives it.
    explicit LoopCalls(UserCalls &calls) : calls_(calls), names_(calls.functions()) {}

    // The loop that a function is in for certain at the instruction HERE; none where it is in none,
    // or that is not known. What GCC's code shares out by itself has no such call.
    [[nodiscard]] std::optional<LoopAround> around(const FunctionCode &code, std::size_t here);
    // The same of a loop that GCC's code shares out by itself; told by that code alone. Of one with
    // chunks all that the guard may be.
    [[nodiscard]] std::vector<LoopDivision> divided(const FunctionCode &code, std::size_t here);

private:
    struct Found {
        std::size_t index = 0;
        LoopCall call;
    };
    [[nodiscard]] std::vector<std::string> names_of(const Instruction &call, std::uint64_t target);
    [[nodiscard]] std::vector<Found> calls_in(const FunctionCode &code);
    [[nodiscard]] bool calls_function(const Instruction &one, std::string_view name);
    [[nodiscard]] bool is_divisor(const FunctionCode &code, std::size_t division,
                                  std::size_t called);
    [[nodiscard]] std::optional<LoopDivision>
    division_behind(const FunctionCode &code, std::size_t asks, std::size_t begin, std::size_t end);
    [[nodiscard]] static std::vector<LoopDivision> chunks_behind(const FunctionCode &code,
                                                                 std::size_t asks,
                                                                 std::size_t number_of,
                                                                 std::size_t end);
    [[nodiscard]] std::vector<LoopDivision> divisions_in(const FunctionCode &code);

    UserCalls &calls_;
    LinkedNames names_;
};

}  // namespace gdb_ompd::code
