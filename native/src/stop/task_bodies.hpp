// SPDX-License-Identifier: Apache-2.0
// The functions of tasks of which the runtime does not keep them. GCC's keeps none of a task that
// is executed at once, by the call which makes it.
//
// They are taken from the stack, from the innermost task on, for as long as each body on the stack
// fits the task in the runtime's chain.
#pragma once

#include "model/facts.hpp"
#include "stop/called_bodies.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <span>

namespace gdb_ompd {

// A task of a thread's chain, as far as the runtime keeps it.
struct ChainTask {
    std::uint64_t identity = 0;
    std::optional<TaskKind> kind;
    std::optional<std::uint64_t> function;
    std::optional<int> scheduling;  // a place in the chain

    [[nodiscard]] bool has_no_function() const { return kind == TaskKind::explicit_ && !function; }
};

// The functions of those of a CHAIN, innermost task first, that have none, by their identities.
// BODIES are those on the thread's stack.
std::map<std::uint64_t, std::uint64_t> functions_by_stack(std::span<const ChainTask> chain,
                                                          std::span<const CalledBody> bodies);

}  // namespace gdb_ompd
