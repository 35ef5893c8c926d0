// SPDX-License-Identifier: Apache-2.0
#include "unwind/caller_search.hpp"

#include "elf/address_space.hpp"

#include <algorithm>
#include <array>

namespace gdb_ompd {

using code::Register;
using code::Value;

namespace {

constexpr std::uint64_t longest_function = 1U << 16U;  // bytes
constexpr std::uint64_t looked_behind = 256;           // bytes, of a function without a size
// How much of the stack is searched, bytes: kernels of linear algebra keep blocks of matrices
// there.
constexpr std::uint64_t searched = 1U << 17U;
constexpr std::uint64_t piece = 4096;
// Of functions whose beginning is not known.
constexpr std::uint64_t looked_before = 1U << 14U;  // bytes
constexpr std::uint64_t looked_behind_any = 32;     // bytes
constexpr int most_beginnings = 64;
constexpr std::size_t most_frame_pointers = 8;

// Whether the BYTE before a function's START can be a return's, or what is between functions.
bool may_end_function(std::uint64_t byte, std::uint64_t start) {
    const bool is_padding = byte == 0x00 || byte == 0x90;
    return byte == 0xc3 || byte == 0xcc || (is_padding && start % 16 == 0);
}

}  // namespace

struct CallerSearch::Question {
    std::uint64_t pc = 0;
    bool is_calling = false;
    const code::ReadRegister &held;
    const IsUnlisted &is_unlisted;
    const WayToStart &way_to_start;
};

CallerSearch::CallerSearch(std::shared_ptr<AddressSpace> space, const Modules &modules)
    : space_(std::move(space)), functions_(space_, modules),
      targets_(*space_, functions_.architecture(), &functions_) {}

bool CallerSearch::is_call_to(std::uint64_t return_address, std::uint64_t function) {
    if (functions_.module_at(return_address - 1) == nullptr) {
        return false;
    }
    const auto &targets = targets_.targets(return_address);
    return std::ranges::find(targets, function) != targets.end() ||
           targets_.is_indirect(return_address, functions_.function(return_address - 1));
}

const CallerSearch::Function *CallerSearch::function_from(std::uint64_t start, std::uint64_t end) {
    Function &known = known_[start];
    // Code of no file may be made anew.
    if (known.code == nullptr || known.code->end() < end ||
        functions_.module_at(start) == nullptr) {
        std::vector<std::byte> bytes(end - start);
        if (!space_->can_read(TargetAddr{start}, bytes)) {
            return nullptr;
        }
        std::vector<code::Instruction> instructions;
        functions_.architecture()->decode(bytes, start, instructions);
        known.values.reset();
        known.code = std::make_unique<code::FunctionCode>(start, end, std::move(instructions));
        known.values =
            std::make_unique<code::FunctionValues>(*known.code, *functions_.architecture());
    }
    return &known;
}

// If the code has done to the registers what it does on the ways to the instruction INDEX: what is
// behind the call that has led to the function.
std::optional<CallerSearch::Caller> CallerSearch::before(const Function &function,
                                                         std::size_t index, const Question &asked) {
    const auto memory = [this](std::uint64_t address, unsigned size) {
        return code::Former{space_->uint_at(TargetAddr{address}, size), false};
    };
    const auto convention = functions_.architecture()->convention();
    code::Evaluation evaluation(
        *function.values, {index, asked.held, memory, [](Register) { return code::Former(); }});
    const Value pointer = evaluation.at_entry(convention.stack_pointer).value;
    const Value pc = pointer ? space_->uint_at(TargetAddr{*pointer}, pointer_size) : std::nullopt;
    if (!pc || !is_call_to(*pc, function.code->start())) {
        return std::nullopt;
    }
    Caller caller{*pc, function.code->start(), {}};
    for (const code::NamedRegister &one : convention.preserved) {
        caller.registers[one.number] = evaluation.at_entry(one.number).value;
    }
    caller.registers[convention.stack_pointer] = *pointer + pointer_size;
    return caller;
}

// The instruction that is executed next, or the call that is under way.
std::optional<std::size_t> CallerSearch::place(const Function &function, const Question &asked) {
    const auto call = asked.is_calling ? function.code->call_before(asked.pc) : std::nullopt;
    const auto index = call ? call : function.code->index_of(asked.pc);
    return index && function.values->is_reached(*index) ? index : std::nullopt;
}

std::optional<CallerSearch::Caller> CallerSearch::by_code(const Function &function,
                                                          const Question &asked) {
    const auto index = place(function, asked);
    const auto &instructions = function.code->instructions();
    const bool is_read = !instructions.empty() && asked.pc < instructions.back().end();
    std::vector<Caller> found;
    const auto add = [&](std::size_t at) {
        const auto caller = before(function, at, asked);
        if (caller && std::ranges::find(found, *caller) == found.end()) {
            found.push_back(*caller);
        }
    };
    if (index) {
        add(*index);
    } else if (!is_read || function.code->jumps_anywhere()) {  // as by a way to another place
        for (const auto &block : function.values->flow().blocks()) {
            add(block.begin);
        }
    }
    std::erase_if(found, [&](const Caller &caller) { return asked.way_to_start(caller).empty(); });
    return found.size() == 1 ? std::optional(found.front()) : std::nullopt;
}

std::optional<CallerSearch::Caller> CallerSearch::first_in_stack(const Question &asked,
                                                                 const Wanted &wanted) {
    const Value stack = asked.held(functions_.architecture()->convention().stack_pointer);
    std::array<std::byte, piece> bytes{};
    for (std::uint64_t at = stack.value_or(0); stack && at < *stack + searched;) {
        const auto read = std::span(bytes).first(piece - at % piece);
        if (!space_->can_read(TargetAddr{at}, read)) {
            return std::nullopt;
        }
        for (std::size_t offset = 0; offset + pointer_size <= read.size(); offset += pointer_size) {
            const std::uint64_t word = space_->to_uint(read.subspan(offset, pointer_size));
            if (functions_.module_at(word) == nullptr) {
                continue;
            }
            if (const auto found = wanted(at + offset, word)) {
                return found;
            }
        }
        at += read.size();
    }
    return std::nullopt;
}

// Of a function that has no symbol, or one without a size, the stack has where a call has led to
// its beginning. That is its call if the code from there on has left the stack so.
std::optional<CallerSearch::Caller> CallerSearch::by_calls(const Question &asked) {
    return first_in_stack(asked, [&](std::uint64_t, std::uint64_t word) -> std::optional<Caller> {
        for (const std::uint64_t start : targets_.targets(word)) {
            if (start > asked.pc || asked.pc - start > longest_function ||
                functions_.module_at(start) == nullptr || !asked.is_unlisted(start)) {
                continue;
            }
            const Function *const function = function_from(start, asked.pc + looked_behind);
            const auto found = function == nullptr ? std::nullopt : by_code(*function, asked);
            if (found && found->pc == word) {
                return found;
            }
        }
        return std::nullopt;
    });
}

// Without a symbol, each place before can be the function's beginning that follows the end of
// another: it is, if the way from there has left the stack so.
std::optional<CallerSearch::Caller> CallerSearch::by_beginnings(const Question &asked) {
    int tries = 0;
    for (std::uint64_t start = asked.pc; asked.pc - start < looked_before; --start) {
        const auto before = space_->uint_at(TargetAddr{start - 1}, 1);
        if (before && !may_end_function(*before, start)) {
            continue;
        }
        const Function *const function = function_from(start, asked.pc + looked_behind_any);
        const auto index = function == nullptr ? std::nullopt : place(*function, asked);
        const auto found = index ? this->before(*function, *index, asked) : std::nullopt;
        if (found && !asked.way_to_start(*found).empty()) {
            return found;
        }
        if (!before || ++tries == most_beginnings) {
            break;
        }
    }
    return std::nullopt;
}

// A call of the function that begins at START; 0 where that is not known: then one that goes where
// a register or memory tells. The stack also keeps what earlier calls have put there. So there is
// no telling where two ways lead to the thread's start, and one is not part of the other.
std::optional<CallerSearch::Caller> CallerSearch::by_stack(const Question &asked,
                                                           std::uint64_t start) {
    std::optional<Caller> found;
    std::vector<std::uint64_t> way;
    const auto other = first_in_stack(
        asked, [&](std::uint64_t place, std::uint64_t word) -> std::optional<Caller> {
            const bool is_on_way = std::ranges::find(way, place + pointer_size) != way.end() ||
                                   (found && place > *std::ranges::max_element(way));
            auto other =
                !is_on_way && is_call_to(word, start) ? behind(place, word, asked) : std::nullopt;
            if (other && !found) {
                found = other->first;
                way = std::move(other->second);
                return std::nullopt;
            }
            return other ? std::optional(other->first) : std::nullopt;
        });
    return other ? std::nullopt : found;
}

// Values that the frame pointer of a caller can have whose return address is at PLACE, the nearest
// first. Each is what it has now, or what the function has put on the stack. None of them is one,
// too.
std::vector<Value> CallerSearch::frame_pointers(std::uint64_t place, const Question &asked) {
    const auto convention = functions_.architecture()->convention();
    const std::uint64_t stack = asked.held(convention.stack_pointer).value_or(place);
    std::vector<std::uint64_t> words{asked.held(convention.frame_pointer).value_or(0)};
    for (std::uint64_t at = std::max(stack, place - piece); at < place; at += pointer_size) {
        words.push_back(space_->uint_at(TargetAddr{at}, pointer_size).value_or(0));
    }
    std::erase_if(words, [&](std::uint64_t word) { return word - place >= searched; });
    std::ranges::sort(words);
    words.erase(std::unique(words.begin(), words.end()), words.end());
    std::vector<Value> values{Value()};
    values.insert(values.end(), words.begin(), words.end());
    values.resize(std::min(values.size(), most_frame_pointers));
    return values;
}

// The caller that goes on at PC, which is in the stack at PLACE, and its way to the thread's start.
// Of its registers the frame pointer alone is known, where the way needs it.
std::optional<std::pair<CallerSearch::Caller, std::vector<std::uint64_t>>>
CallerSearch::behind(std::uint64_t place, std::uint64_t pc, const Question &asked) {
    const auto convention = functions_.architecture()->convention();
    Caller caller{pc, pc, {}};
    caller.registers[convention.stack_pointer] = place + pointer_size;
    for (const Value frame : frame_pointers(place, asked)) {
        caller.registers[convention.frame_pointer] = frame;
        auto way = asked.way_to_start(caller);
        if (!way.empty()) {
            return std::pair(caller, std::move(way));
        }
    }
    return std::nullopt;
}

std::optional<CallerSearch::Caller> CallerSearch::find(std::uint64_t pc, bool is_calling,
                                                       const code::ReadRegister &held,
                                                       const IsUnlisted &is_unlisted,
                                                       const WayToStart &way_to_start) {
    if (functions_.architecture() == nullptr) {
        return std::nullopt;
    }
    const std::uint64_t kept = functions_.architecture()->convention().preserved_bits();
    const code::ReadRegister known = [&](Register number) {
        return !is_calling || (code::bit_of(number) & kept) != 0 ? held(number) : std::nullopt;
    };
    const Question asked{pc, is_calling, known, is_unlisted, way_to_start};
    const auto symbol = functions_.symbol_at(is_calling ? pc - 1 : pc);
    std::optional<Caller> found;
    if (symbol) {
        const std::uint64_t end = symbol->start() + std::min(symbol->symbol.size, longest_function);
        const Function *const function = function_from(symbol->start(), end);
        found = function == nullptr ? std::nullopt : by_code(*function, asked);
    } else {
        found = by_calls(asked);
        found = found ? found : by_beginnings(asked);
    }
    return found ? found : by_stack(asked, symbol ? symbol->start() : 0);
}

}  // namespace gdb_ompd
