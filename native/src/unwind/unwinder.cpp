// SPDX-License-Identifier: Apache-2.0
#include "unwind/unwinder.hpp"

#include <algorithm>

namespace gdb_ompd {

namespace {

// Functions that no table describes, one in another, and all that are met on the ways from one.
constexpr int most_searches_within = 8;
constexpr int most_searches = 64;

Registers registers_of(const CallerSearch::Caller &caller) {
    Registers registers;
    for (std::size_t number = 0; number < processors_numbers.size(); ++number) {
        registers[number] = caller.registers[processors_numbers[number]];
    }
    registers[return_address] = caller.pc;
    return registers;
}

}  // namespace

Unwinder::Unwinder(std::shared_ptr<AddressSpace> space, Modules modules, std::vector<Range> foreign,
                   bool has_all_files)
    : space_(std::move(space)), rules_(std::move(modules), std::move(foreign), has_all_files) {}

bool Unwinder::add_caller(ThreadStack &stack) {
    if (stack.end_ != ThreadStack::End::open) {
        return false;
    }
    const auto &frames = stack.frames_;
    Registers registers = frames.back().registers;
    // A call may be a function's last instruction: its caller is where it was made.
    const UnwindRule &rule = rules_.at(frames.back().pc - (frames.size() > 1 ? 1 : 0));
    if (rule.ends) {
        stack.end_ = ThreadStack::End::found;
        return false;
    }
    stack.end_ = ThreadStack::End::not_plain;
    if (rule.unlisted && frames.size() < most_frames) {
        const UnwoundFrame frame = frames.back();
        const auto caller = found_caller(frame.pc, frames.size() > 1, frame.registers);
        if (caller) {
            stack.frames_.push_back(
                {caller->registers[return_address].value_or(0), caller->registers});
            stack.end_ = ThreadStack::End::open;
        }
        return caller.has_value();
    }
    if (!rule.known || !registers[rule.base] || frames.size() == most_frames) {
        return false;
    }
    TargetAddr frame{*registers[rule.base] + static_cast<std::uint64_t>(rule.offset)};
    if (rule.in_memory) {
        frame.value = stack.word_at(*space_, frame).value_or(0);
    }
    // Of an outer frame; a stack that does not grow so is not plain.
    if (frame.value == 0 ||
        (registers[stack_pointer] && frame.value < *registers[stack_pointer] + pointer_size)) {
        return false;
    }
    const Registers inner = registers;
    for (std::size_t number = 0; number < unwind_registers; ++number) {
        const SavedAt &place = rule.saved[number];
        if (place.kind == SavedAt::Kind::at_offset) {
            registers[number] =
                stack.word_at(*space_, frame + static_cast<std::uint64_t>(place.offset));
        } else if (place.kind == SavedAt::Kind::at_register && inner[place.base]) {
            registers[number] = stack.word_at(
                *space_, TargetAddr{*inner[place.base] + static_cast<std::uint64_t>(place.offset)});
        } else if (place.kind != SavedAt::Kind::same) {
            registers[number].reset();
        }
    }
    registers[stack_pointer] = frame.value;
    if (registers[return_address].value_or(0) == 0) {
        return false;
    }
    stack.frames_.push_back({*registers[return_address], registers});
    stack.end_ = ThreadStack::End::open;
    return true;
}

std::optional<FoundCaller> Unwinder::listed_caller(std::uint64_t pc, bool is_calling,
                                                   const Registers &registers) {
    Registers own = registers;
    own[return_address] = pc;
    ThreadStack stack(own, std::nullopt);
    if (is_calling) {  // its address is a return address
        stack.frames_.insert(stack.frames_.begin(), UnwoundFrame{});
    }
    return add_caller(stack) ? std::optional(FoundCaller{0, stack.frames().back().registers})
                             : std::nullopt;
}

bool Unwinder::is_unlisted(std::uint64_t pc, bool is_calling) {
    return rules_.at(pc - (is_calling ? 1 : 0)).unlisted;
}

std::optional<FoundCaller> Unwinder::found_caller(std::uint64_t pc, bool is_calling,
                                                  const Registers &registers) {
    if (rules_.at(pc - (is_calling ? 1 : 0)).ends) {
        Registers none = registers;
        none[return_address] = 0;
        return FoundCaller{pc, none};
    }
    if (searches_ == 0) {
        searches_left_ = most_searches;
    }
    if (searches_ == most_searches_within || searches_left_ == 0) {
        return std::nullopt;
    }
    --searches_left_;
    if (search_ == nullptr) {
        search_ = std::make_unique<CallerSearch>(space_, rules_.modules());
    }
    ++searches_;
    const auto found = search_->find(
        pc, is_calling,
        [&](code::Register number) -> code::Value {
            const auto *const at = std::ranges::find(processors_numbers, number);
            return at == processors_numbers.end()
                       ? std::nullopt
                       : registers[static_cast<std::size_t>(at - processors_numbers.begin())];
        },
        [this](std::uint64_t function) { return is_unlisted(function, false); },
        [this](const CallerSearch::Caller &caller) {
            ThreadStack stack(registers_of(caller), std::nullopt);
            // Its address is a return address, as of a frame that has called.
            stack.frames_.insert(stack.frames_.begin(), UnwoundFrame{});
            std::vector<std::uint64_t> way;
            if (unwind(stack, most_frames)) {
                for (const UnwoundFrame &frame : std::span(stack.frames()).subspan(1)) {
                    way.push_back(frame.registers[stack_pointer].value_or(0));
                }
            }
            return way;
        });
    --searches_;
    return found ? std::optional(FoundCaller{found->function, registers_of(*found)}) : std::nullopt;
}

std::optional<std::size_t> Unwinder::to_user(ThreadStack &stack) {
    if (!stack.frames().front().registers[return_address]) {
        return std::nullopt;
    }
    for (std::size_t count = 1;; ++count) {
        const std::uint64_t pc = stack.frames()[count - 1].pc;
        if (!rules_.is_foreign(pc) && !passed_.contains(pc)) {
            return count;
        }
        if (count == stack.frames().size() && !add_caller(stack)) {
            return stack.end_ == ThreadStack::End::found ? std::optional(count) : std::nullopt;
        }
    }
}

std::optional<std::uint64_t> Unwinder::last_executed(ThreadStack &stack) {
    const auto count = to_user(stack);
    return count ? std::optional(stack.frames()[*count - 1].pc - (*count > 1 ? 1 : 0))
                 : std::nullopt;
}

std::optional<std::vector<std::uint64_t>> Unwinder::callers(std::uint64_t pc, std::uint64_t sp,
                                                            std::uint64_t bp) {
    Registers registers;
    registers[frame_pointer] = bp;
    registers[stack_pointer] = sp;
    registers[return_address] = pc;
    ThreadStack stack(registers, std::nullopt);
    space_->cache().clear();
    const auto count = to_user(stack);
    if (!count) {
        return std::nullopt;
    }
    std::vector<std::uint64_t> found;
    for (const UnwoundFrame &frame : std::span(stack.frames()).first(*count).subspan(1)) {
        found.push_back(frame.pc);
    }
    return found;
}

bool Unwinder::unwind(ThreadStack &stack, std::size_t count) {
    while (stack.frames().size() < count && add_caller(stack)) {
    }
    return stack.end_ == ThreadStack::End::found;
}

}  // namespace gdb_ompd
