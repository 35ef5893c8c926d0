// SPDX-License-Identifier: Apache-2.0
#include "recovery/gnu_code.hpp"

#include "base/target.hpp"
#include "code/linkage_stub.hpp"

#include <algorithm>
#include <vector>

namespace gdb_ompd::recovery {

using code::FunctionCode;

namespace {

// A stub of the linkage table does nothing but jump on.
bool is_stub(const FunctionCode &function) {
    return !function.instructions().empty() &&
           std::ranges::all_of(function.instructions(), [](const code::Instruction &one) {
               return one.operation == code::Operation::nothing ||
                      one.operation == code::Operation::push ||
                      one.operation == code::Operation::jump;
           });
}

}  // namespace

bool is_plain_load(const code::Instruction *one) {
    return one != nullptr && one->computation.arithmetic == code::Arithmetic::first &&
           one->computation.first.kind == code::Operand::Kind::memory &&
           one->computation.width == pointer_size && one->memory.base != code::no_register &&
           one->memory.index == code::no_register && !one->memory.thread_local_segment;
}

std::int64_t loaded_from(const code::Instruction &load, code::Register number) {
    return load.memory.displacement + (number == load.second_source ? load.width : 0);
}

bool is_indirect_call(const code::Instruction &one) {
    return one.is_call() && one.target == 0 &&
           (one.has_memory
                ? one.memory.base != code::no_register && one.memory.index == code::no_register &&
                      !one.memory.thread_local_segment
                : one.source != code::no_register);
}

std::optional<std::size_t> only_call(const FunctionCode &function) {
    std::optional<std::size_t> found;
    for (std::size_t index = 0; index < function.instructions().size(); ++index) {
        if (is_indirect_call(function.at(index))) {
            if (found) {
                return std::nullopt;
            }
            found = index;
        }
    }
    return found;
}

std::optional<std::uint64_t> direct_call_before(const FunctionCode &function, std::size_t index) {
    while (index > 0 && function.jumps_to(index).empty()) {
        const code::Instruction &before = function.at(--index);
        if (before.ends_flow()) {
            return std::nullopt;
        }
        if (before.is_call()) {
            return before.target != 0 ? std::optional(before.target) : std::nullopt;
        }
    }
    return std::nullopt;
}

std::optional<FunctionCode> GnuCode::code_of(const code::Range &range) const {
    const auto bytes = image_.bytes(range.start, range.end - range.start);
    if (!bytes) {
        return std::nullopt;
    }
    return FunctionCode(range.start, range.end, decoded(*bytes, range.start));
}

std::optional<FunctionCode> GnuCode::function_at(std::uint64_t start) const {
    for (const code::Range &range : image_.functions()) {
        if (range.start == start) {
            return code_of(range);
        }
    }
    return std::nullopt;
}

std::optional<FunctionCode> GnuCode::exported(const char *name) const {
    const auto start = image_.exported(name);
    return start ? function_at(*start) : std::nullopt;
}

bool GnuCode::is_function(std::uint64_t address) const {
    return std::ranges::any_of(image_.functions(),
                               [&](const code::Range &range) { return range.start == address; });
}

bool GnuCode::is_kept(code::Register number) const {
    return (convention_.preserved_bits() & code::bit_of(number)) != 0;
}

Call GnuCode::call_at(const FunctionCode &function, std::size_t index) const {
    const code::Instruction &call = function.at(index);
    Call found{call.address, call.end(), {}, {}};
    if (call.has_memory) {
        found.now = {call.memory.base, call.memory.displacement};
    } else {
        found.now = {call.source, std::nullopt};
    }
    if (is_kept(found.now.number)) {
        found.later = found.now;
    } else if (!call.has_memory) {
        const Window window(function, index);
        const code::Instruction *const load = window.writer(call.source);
        if (is_plain_load(load) && is_kept(load->memory.base) &&
            window.keeps(load->memory.base, *load)) {
            found.later = {load->memory.base, loaded_from(*load, call.source)};
        }
    }
    return found;
}

std::set<std::uint64_t> GnuCode::calls_of(const char *wanted, const code::Range &range) const {
    std::set<std::uint64_t> found;
    for (const code::Range &each : image_.functions()) {
        const auto function = range.holds(each.start) ? code_of(each) : std::nullopt;
        for (std::size_t index = 0; function && index < function->instructions().size(); ++index) {
            const code::Instruction &one = function->at(index);
            const bool leaves = one.is_call() || one.operation == code::Operation::jump;
            if (leaves && imported(one) == wanted && !is_stub(*function)) {
                found.insert(one.address);
            }
        }
    }
    return found;
}

// Of a call or jump, also of one by a stub of the linkage table.
std::string GnuCode::imported(const code::Instruction &one) const {
    auto slot = one.target == 0 ? one.constant_place() : std::nullopt;
    const auto bytes = one.target == 0 ? std::nullopt : image_.bytes(one.target, code::stub_size);
    if (bytes) {
        slot = code::slot_of_stub(decoded(*bytes, one.target), convention_.stub_registers);
    }
    return slot ? image_.import_at(*slot) : std::string();
}

std::vector<code::Instruction> GnuCode::decoded(std::span<const std::byte> bytes,
                                                std::uint64_t start) const {
    std::vector<code::Instruction> instructions;
    architecture_.decode(bytes, start, instructions);
    return instructions;
}

}  // namespace gdb_ompd::recovery
