// SPDX-License-Identifier: Apache-2.0
#include "code/construct_call.hpp"

#include <algorithm>
#include <set>
#include <vector>

namespace gdb_ompd::code {

namespace {

constexpr int longest_chain = 8;  // functions that jump to one another before the runtime

bool is_named(const UserCalls &calls, std::uint64_t function, std::string_view name) {
    const auto symbol = calls.functions().symbol_at(function);
    if (!symbol || symbol->start() != function) {
        return false;
    }
    const auto names = symbol->module->elf->function_names(symbol->symbol.value);
    return std::any_of(names.begin(), names.end(), [name](std::string_view one) {
        // A versioned name is written NAME@VERSION in a file's own table.
        return own_name(one.substr(0, one.find('@'))) == name;
    });
}

// The jumps to ENTRY that FUNCTION, or what it jumps to, contains.
std::set<std::uint64_t> jumps_into(UserCalls &calls, std::uint64_t function, std::string_view entry,
                                   int depth) {
    std::set<std::uint64_t> found;
    const FunctionCode *const code = calls.functions().function_at_start(function);
    if (code == nullptr) {
        return found;
    }
    std::vector<std::uint64_t> others;
    for (const std::size_t index : code->leaving()) {
        const auto target = calls.targets().destination(code->at(index));
        if (target && is_named(calls, *target, entry)) {
            found.insert(code->at(index).address);
        } else if (target) {
            others.push_back(*target);
        }
    }
    if (found.empty() && depth > 0) {
        for (const std::uint64_t other : others) {
            found.merge(jumps_into(calls, other, entry, depth - 1));
        }
    }
    return found;
}

}  // namespace

std::optional<std::uint64_t> construct_call(UserCalls &calls, std::uint64_t pc,
                                            std::string_view entry) {
    std::optional<std::uint64_t> called;
    const auto targets = calls.targets().targets(pc);
    if (!targets.empty()) {
        called = targets.front();
    } else if (const FunctionCode *const code = calls.functions().function(pc - 1)) {
        // A debugger that knows of a jump shows it as a call that returns behind it.
        for (const std::size_t index : code->leaving()) {
            if (code->at(index).end() == pc) {
                called = calls.targets().destination(code->at(index));
            }
        }
    }
    if (!called) {
        return std::nullopt;
    }
    if (is_named(calls, *called, entry)) {
        return pc - 1;
    }
    const auto found = jumps_into(calls, *called, entry, longest_chain);
    return found.size() == 1 ? std::optional(*found.begin()) : std::nullopt;
}

bool follows_target_call(UserCalls &calls, std::uint64_t pc) {
    const FunctionCode *const code = calls.functions().function(pc - 1);
    const auto index = code != nullptr ? code->call_before(pc) : std::nullopt;
    const auto before = index ? code->call_leading_to(*index) : std::nullopt;
    const auto called = before ? calls.of_call(*before) : std::nullopt;
    return called && called->entry != nullptr && called->entry->kind == WaitKind::target;
}

std::optional<TargetRegion> region_with_id(const UserCalls &calls, std::uint64_t address) {
    const Module *const module = calls.functions().module_at(address);
    const auto name =
        module != nullptr ? module->elf->data_name(address - module->bias) : std::nullopt;
    return name ? target_region_of_id(*name) : std::nullopt;
}

std::optional<TargetRegion> region_called(UserCalls &calls, std::uint64_t pc) {
    const auto called = calls.of_call(pc);
    const FunctionCode *const code = calls.functions().function(pc - 1);
    const auto index = code != nullptr ? code->call_before(pc) : std::nullopt;
    if (!index || !called || called->entry == nullptr || called->entry->region_id < 0) {
        return std::nullopt;
    }
    const auto number = static_cast<std::size_t>(called->entry->region_id);
    const Value address = calls.in_frame(*code, *index, Frame{pc}).argument(*index, number).value;
    return address ? region_with_id(calls, *address) : std::nullopt;
}

}  // namespace gdb_ompd::code
