// SPDX-License-Identifier: Apache-2.0
#include "recovery/lock_table.hpp"

#include "base/target.hpp"

#include <algorithm>
#include <array>
#include <set>

namespace gdb_ompd::recovery {

namespace {

// Exported functions, each of which calls what it finds in a table of functions of its own.
constexpr std::array callers = {
    "__kmpc_set_nest_lock",
    "__kmpc_unset_nest_lock",
    "__kmpc_test_nest_lock",
    "__kmpc_destroy_nest_lock",
};

// In the table, behind the pointer to its rows, and what the first is made with.
constexpr std::uint64_t row_count = pointer_size;
constexpr std::uint64_t next = row_count + 4;
constexpr std::uint64_t first_row_count = 8;  // KMP_I_LOCK_TABLE_INIT_NROW_PTRS

bool stores(const code::Effect &effect) { return effect.kind == code::Effect::Kind::store; }

bool clears(const std::vector<code::Effect> &effects, std::uint64_t from, std::uint64_t to) {
    while (from < to) {
        const auto found = std::ranges::find_if(effects, [&](const code::Effect &effect) {
            return stores(effect) && effect.value == 0 && effect.address <= from &&
                   from < effect.address + effect.width && effect.address + effect.width <= to;
        });
        if (found == effects.end()) {
            return false;
        }
        from = found->address + found->width;
    }
    return true;
}

// Whether a function, which does EFFECTS, makes a table there: what it has allocated, how
// many rows that are, and nothing in it.
bool makes_table(const std::vector<code::Effect> &effects, std::uint64_t table) {
    const auto stored = [&](std::uint64_t address, std::uint8_t width,
                            std::optional<std::uint64_t> value) {
        return std::ranges::any_of(effects, [&](const code::Effect &effect) {
            return stores(effect) && effect.address == address && effect.width == width &&
                   effect.value == value;
        });
    };
    return stored(table, pointer_size, std::nullopt) &&
           stored(table + row_count, 4, first_row_count) &&
           clears(effects, table + next, table + lock_table_size);
}

bool sets(const std::vector<code::Effect> &effects, std::uint64_t variable) {
    return std::ranges::any_of(effects, [&](const code::Effect &effect) {
        return stores(effect) && effect.width == pointer_size && effect.address == variable;
    });
}

// The functions that set a pointer which an exported one loads.
std::set<code::FunctionNumber> setters(const code::CodeIndex &code, code::FunctionNumber exported) {
    std::set<code::FunctionNumber> found;
    std::set<std::uint64_t> seen;
    for (const code::Effect &effect : code.whole_effects(exported)) {
        const bool loads = effect.kind == code::Effect::Kind::load && effect.width == pointer_size;
        if (!loads || !seen.insert(effect.address).second) {
            continue;
        }
        for (const code::FunctionNumber user : code.users(effect.address)) {
            if (sets(code.effects(user), effect.address)) {
                found.insert(user);
            }
        }
    }
    return found;
}

// The functions that choose which table each of the exported ones uses.
std::set<code::FunctionNumber> choosers(const code::CodeIndex &code) {
    std::optional<std::set<code::FunctionNumber>> all;
    for (const char *const name : callers) {
        const auto caller = code.exported(name);
        std::set<code::FunctionNumber> own =
            caller ? setters(code, *caller) : std::set<code::FunctionNumber>{};
        if (all) {
            std::erase_if(own, [&](code::FunctionNumber each) { return !all->contains(each); });
        }
        all = std::move(own);
    }
    return all.value_or(std::set<code::FunctionNumber>{});
}

}  // namespace

void find_lock_table(const code::CodeIndex &code, Findings &findings) {
    std::set<std::uint64_t> tables;
    for (const code::FunctionNumber chooser : choosers(code)) {
        const std::vector<code::Effect> &effects = code.effects(chooser);
        for (const code::Effect &effect : effects) {
            if (stores(effect) && effect.address % pointer_size == 0 &&
                code.image().is_writable(effect.address) && makes_table(effects, effect.address)) {
                tables.insert(effect.address);
            }
        }
    }
    if (tables.size() == 1) {
        findings.found(lock_table, *tables.begin(), SymbolKind::data, "the function that makes it");
    }
}

}  // namespace gdb_ompd::recovery
