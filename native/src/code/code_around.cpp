// SPDX-License-Identifier: Apache-2.0
#include "code/code_around.hpp"

#include "code/kept_registers.hpp"

#include <algorithm>

namespace gdb_ompd::code {

std::vector<std::pair<std::uint64_t, std::uint64_t>> CodeAround::ways_inside() const {
    std::vector<std::pair<std::uint64_t, std::uint64_t>> found;
    const FunctionCode *const code = functions_.function(pc_);
    for (std::size_t index = 0; code != nullptr && index < code->instructions().size(); ++index) {
        const auto jumps = code->jumps_to(index);
        for (const std::size_t source : jumps) {
            found.emplace_back(code->at(source).address, code->at(index).address);
        }
        if (!jumps.empty() && index > 0 && !code->at(index - 1).ends_flow()) {
            found.emplace_back(code->at(index - 1).address, code->at(index).address);
        }
    }
    return found;
}

std::vector<JumpOut> CodeAround::jumps_out() const {
    std::vector<JumpOut> found;
    const FunctionCode *const code = functions_.function(pc_);
    for (const std::size_t index : code == nullptr ? std::vector<std::size_t>() : code->leaving()) {
        const Instruction &jump = code->at(index);
        if (const auto target = targets_.destination(jump)) {
            found.push_back({jump.target != 0 ? jump.target : *target, *target});
        }
    }
    return found;
}

std::vector<CallMade> CodeAround::calls_made() const {
    std::vector<CallMade> found;
    const FunctionCode *const code = functions_.function(pc_);
    if (code == nullptr) {
        return found;
    }
    for (const Instruction &each : code->instructions()) {
        if (const auto target = each.is_call() ? targets_.destination(each) : std::nullopt) {
            found.push_back({each.address, each.end(), *target});
        }
    }
    return found;
}

std::vector<LoopCounter> CodeAround::loop_counters(std::int64_t iteration) const {
    const FunctionCode *const code = functions_.function(pc_);
    const Architecture *const architecture = functions_.architecture();
    if (code == nullptr || architecture == nullptr) {
        return {};
    }
    return code::loop_counters(*code, architecture->convention(), iteration);
}

bool CodeAround::may_change_in_place(std::string_view name) const {
    const FunctionCode *const code = functions_.function(pc_);
    const Architecture *const architecture = functions_.architecture();
    if (code == nullptr || architecture == nullptr) {
        return true;
    }
    const auto preserved = architecture->convention().preserved;
    const auto found = std::ranges::find(preserved, name, &NamedRegister::name);
    return found == preserved.end() || changes_in_place(*code, found->number);
}

bool CodeAround::is_kept(std::vector<std::uint64_t> inner, std::string_view name) const {
    inner.push_back(pc_);
    const Architecture *const architecture = functions_.architecture();
    const Register number = architecture != nullptr ? architecture->named(name) : no_register;
    if (!code::is_kept(functions_, inner, number)) {
        return false;
    }
    const FunctionCode *const code = functions_.function(pc_ - 1);
    const auto call = code != nullptr ? code->call_before(pc_) : std::nullopt;
    return !call || !is_left_by_call(functions_, *code, *call, number);
}

bool CodeAround::is_set_again(const Range &within, std::string_view name, bool is_constant) const {
    const FunctionCode *const code = functions_.function(pc_);
    const auto here = code != nullptr ? code->index_of(pc_) : std::nullopt;
    const Architecture *const architecture = functions_.architecture();
    return here && architecture != nullptr &&
           code::is_set_again(functions_, *code, within, *here, architecture->named(name),
                              is_constant);
}

std::size_t CodeAround::times_set(const Range &within, std::string_view name) const {
    const FunctionCode *const code = functions_.function(pc_);
    const Architecture *const architecture = functions_.architecture();
    return code != nullptr && architecture != nullptr
               ? code::times_set(functions_, *code, within, architecture->named(name))
               : 0;
}

bool CodeAround::is_callers(std::string_view name) const {
    const FunctionCode *const code = functions_.function(pc_);
    const auto here = code != nullptr ? code->index_of(pc_) : std::nullopt;
    const Architecture *const architecture = functions_.architecture();
    return here && architecture != nullptr &&
           code::is_callers(functions_, *code, *here, architecture->named(name));
}

bool CodeAround::may_stay(std::uint64_t until, std::span<const std::string> names,
                          std::vector<std::int64_t> slots) const {
    const FunctionCode *const code = functions_.function(until);
    const auto first = code != nullptr ? code->index_of(pc_) : std::nullopt;
    const auto last = code != nullptr ? code->index_of(until) : std::nullopt;
    MadeOf value{{}, std::move(slots)};
    for (const std::string &name : names) {
        value.registers.push_back(functions_.architecture()->named(name));
    }
    return first && last && code::may_stay(functions_, *code, *first, *last, value);
}

std::optional<std::size_t> CodeAround::part_not_stored(FrameBytes variable,
                                                       std::span<const StoredPart> parts) const {
    const FunctionCode *const code = functions_.function(pc_);
    const auto here = code != nullptr ? code->index_of(pc_) : std::nullopt;
    return here && functions_.architecture() != nullptr
               ? code::part_not_stored(functions_, *code, *here, variable, parts)
               : std::nullopt;
}

std::optional<PushedArguments> CodeAround::pushed_arguments() const {
    const FunctionCode *const code = functions_.function(pc_ - 1);
    const auto here = code == nullptr ? std::nullopt : code->index_of(pc_);
    if (!here) {
        return PushedArguments();
    }
    const auto moves_stack = [&](std::size_t index) {
        return code->at(index).computation.destination ==
               functions_.architecture()->convention().stack_pointer;
    };
    const auto before_here = code->only_before(*here);
    const bool gives_back = code->at(*here).operation == Operation::pop ||
                            code->at(*here).operation == Operation::give_back;
    if (gives_back && before_here &&
        (moves_stack(*before_here) || code->at(*before_here).operation == Operation::pop)) {
        return std::nullopt;  // at the function's end
    }
    // The call that the arguments are for, and how far the code has come on its way there.
    auto call = code->call_before(pc_);
    const std::size_t count = code->instructions().size();
    const bool has_returned = call && moves_stack(*here);
    if (!has_returned) {
        for (call = *here; *call + 1 < count && !code->at(*call).is_call(); ++*call) {
            if (code->only_before(*call + 1) != call) {
                return PushedArguments();
            }
        }
        if (*call + 1 >= count || !moves_stack(*call + 1)) {
            return PushedArguments();
        }
    }
    std::uint64_t all = 0;
    std::uint64_t until_here = 0;
    std::size_t begin = 0;
    std::size_t moved = 0;
    for (auto index = code->only_before(*call); index; index = code->only_before(*index)) {
        const Instruction &before = code->at(*index);
        if (before.operation == Operation::push) {
            all += pointer_size;
            until_here += has_returned || *index < *here ? pointer_size : 0;
            begin = *index;
        } else if (before.is_call() || moves_stack(*index)) {
            moved = *index;
            break;
        }
    }
    if (all == 0) {
        return PushedArguments();
    }
    // Before the first one the stack may have been aligned.
    const Instruction &takes_off = code->at(*call + 1);
    const std::uint64_t aligned = static_cast<std::uint64_t>(takes_off.immediate) - all;
    const bool is_plain = takes_off.computation.arithmetic == Arithmetic::add &&
                          takes_off.computation.second.kind == Operand::Kind::immediate &&
                          (aligned == 0 || (aligned == pointer_size && until_here != 0));
    if (!is_plain || until_here == 0) {
        return is_plain ? std::optional(PushedArguments()) : std::nullopt;
    }
    const Instruction &first = code->at(aligned == 0 ? begin : moved);
    return PushedArguments{until_here + aligned, first.address, first.end()};
}

}  // namespace gdb_ompd::code
