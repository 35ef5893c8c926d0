// SPDX-License-Identifier: Apache-2.0
#include "code/kept_argument.hpp"

#include <vector>

namespace gdb_ompd::code {

namespace {

// Whether NAME, which the instruction at COPY writes, can be written again before CALL.
bool changes_again(const FunctionCode &code, std::size_t copy, std::size_t call, Register name,
                   const CallingConvention &convention) {
    // By instruction: whether it was met with the register as it was copied, and changed.
    std::vector<bool> met(code.instructions().size());
    std::vector<bool> met_changed(met.size());
    std::vector<std::pair<std::size_t, bool>> waiting{{copy, false}};
    while (!waiting.empty() && !met_changed[call]) {
        const auto [at, was_changed] = waiting.back();
        waiting.pop_back();
        std::vector<bool> &known = was_changed ? met_changed : met;
        if (known[at]) {
            continue;
        }
        known[at] = true;
        const bool is_changed =
            was_changed || (at != copy && writes(code.at(at), name, convention));
        for (const std::size_t next : code.successors(at)) {
            waiting.emplace_back(next, is_changed);
        }
    }
    return met_changed[call];
}

}  // namespace

Value kept_argument(const FunctionCode &code, std::size_t call, std::size_t number,
                    const CallingConvention &convention, const ReadRegister &preserved) {
    if (number >= convention.arguments.size() || code.jumps_anywhere()) {
        return std::nullopt;
    }
    const Register argument = convention.arguments[number];
    // Every way to the call leads through the instructions before the first place to which,
    // or from which, there is another.
    for (std::size_t at = 0; at < call && code.jumps_to(at).empty(); ++at) {
        const Instruction &instruction = code.at(at);
        const Register copy = copy_of(argument, instruction);
        if ((bit_of(copy) & convention.preserved_bits()) != 0 &&
            !changes_again(code, at, call, copy, convention)) {
            if (const Value kept = preserved(copy)) {
                return kept;
            }
        }
        if (instruction.is_jump() || instruction.ends_flow() ||
            writes(instruction, argument, convention)) {
            break;
        }
    }
    return std::nullopt;
}

}  // namespace gdb_ompd::code
