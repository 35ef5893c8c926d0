// SPDX-License-Identifier: Apache-2.0
// Who has called a function that no unwind table describes, as hand-written assembly and code that
// is made at run time have none. What the function's own instructions have done to the stack tells
// it. Where they do not, a return address in the stack that leads on does.
#pragma once

#include "code/call_targets.hpp"
#include "code/evaluation.hpp"
#include "code/function_code.hpp"
#include "code/function_values.hpp"

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

namespace gdb_ompd {

class CallerSearch {
public:
    CallerSearch(std::shared_ptr<AddressSpace> space, const Modules &modules);

    // A caller: where it goes on, where the function begins that it has called, and its registers,
    // by the processor's numbers.
    struct Caller {
        std::uint64_t pc = 0;
        std::uint64_t function = 0;
        std::array<code::Value, code::first_vector_register> registers{};

        bool operator==(const Caller &) const = default;
    };
    // Whether a function's address has no unwind information.
    using IsUnlisted = std::function<bool(std::uint64_t)>;
    // The stack pointers of a caller's frame and of those further out, by which the tables lead to
    // where its thread begins; empty where they do not.
    using WayToStart = std::function<std::vector<std::uint64_t>(const Caller &)>;
    // The caller of the frame at PC, which is a return address if it IS_CALLING, with the registers
    // HELD there. It is behind a call, and the tables lead on from it; none where there is no such
    // place.
    [[nodiscard]] std::optional<Caller> find(std::uint64_t pc, bool is_calling,
                                             const code::ReadRegister &held,
                                             const IsUnlisted &is_unlisted,
                                             const WayToStart &way_to_start);

private:
    // A function's code, as far as is known, and what it does to registers.
    struct Function {
        std::unique_ptr<code::FunctionCode> code;
        std::unique_ptr<code::FunctionValues> values;
    };
    struct Question;

    [[nodiscard]] const Function *function_from(std::uint64_t start, std::uint64_t end);
    [[nodiscard]] static std::optional<std::size_t> place(const Function &function,
                                                          const Question &asked);
    [[nodiscard]] std::optional<Caller> before(const Function &function, std::size_t index,
                                               const Question &asked);
    [[nodiscard]] std::optional<Caller> by_beginnings(const Question &asked);
    [[nodiscard]] std::optional<Caller> by_code(const Function &function, const Question &asked);
    [[nodiscard]] std::optional<Caller> by_calls(const Question &asked);
    [[nodiscard]] std::optional<Caller> by_stack(const Question &asked, std::uint64_t start);
    [[nodiscard]] std::vector<code::Value> frame_pointers(std::uint64_t place,
                                                          const Question &asked);
    [[nodiscard]] std::optional<std::pair<Caller, std::vector<std::uint64_t>>>
    behind(std::uint64_t place, std::uint64_t pc, const Question &asked);
    // What WANTED makes of the first word of the stack, at its place, of which it makes anything.
    using Wanted = std::function<std::optional<Caller>(std::uint64_t place, std::uint64_t word)>;
    [[nodiscard]] std::optional<Caller> first_in_stack(const Question &asked, const Wanted &wanted);
    [[nodiscard]] bool is_call_to(std::uint64_t return_address, std::uint64_t function);

    std::shared_ptr<AddressSpace> space_;
    code::FunctionReader functions_;
    code::CallTargets targets_;
    std::unordered_map<std::uint64_t, Function> known_;  // by where they begin
};

}  // namespace gdb_ompd
