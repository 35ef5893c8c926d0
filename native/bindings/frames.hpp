// SPDX-License-Identifier: Apache-2.0
// Frames as the debugger gives them.
#pragma once

#include "stop/waits.hpp"

#include "bindings.hpp"

#include <vector>

namespace gdb_ompd {

// A frame: its program counter, whether an instruction of its caller called it, and registers.
// These are those that its callee preserved, in the order of the convention. The innermost frame
// then has the others. There are none where they are not asked for.
struct GivenFrame {
    std::uint64_t pc = 0;
    bool is_called = false;
    std::optional<std::vector<std::optional<std::uint64_t>>> registers;
    bool is_tail_call = false;  // made up for a function that has ended with a jump
};

std::vector<code::Frame> frames_of(WaitReader &reader, const std::vector<GivenFrame> &given);

// What READ returns. Whatever keeps one thread from being read is told when the debugger is asked
// of it: then OTHERWISE. An interrupt by the user is no such thing.
template <class Result, class Read> Result unless_unreadable(Read read, Result otherwise) {
    try {
        return read();
    } catch (const py::error_already_set &error) {
        if (!error.matches(PyExc_Exception)) {
            throw;
        }
    } catch (const std::exception &) {
        return otherwise;
    }
    return otherwise;
}

// Null for one that is not known.
using ThreadStacks = std::vector<std::optional<ThreadStack *>>;

// What their stacks tell up to the user's code; none where a stack is not plain. Threads that are
// at one place share it.
using ThreadReads = std::vector<std::optional<std::shared_ptr<const WaitReader::Read>>>;
ThreadReads read_threads(WaitReader &reader, Unwinder &unwinder, const ThreadStacks &threads);

// What READ tells of each thread, OTHERWISE of one that cannot be read.
template <class Result, class Read>
std::vector<Result> of_each(const ThreadStacks &threads, Read read, Result otherwise) {
    std::vector<Result> found;
    for (const auto &stack : threads) {
        found.push_back(stack ? unless_unreadable<Result>([&] { return read(**stack); }, otherwise)
                              : otherwise);
    }
    return found;
}

}  // namespace gdb_ompd
