// SPDX-License-Identifier: Apache-2.0
#include "code/entry_table.hpp"

#include <algorithm>
#include <array>

namespace gdb_ompd::code {

namespace {

// By WaitKind.
constexpr std::array<std::string_view, 31> texts{"",
                                                 "explicit barrier",
                                                 "loop barrier",
                                                 "sections barrier",
                                                 "single barrier",
                                                 "worksharing barrier",
                                                 "barrier",
                                                 "end-of-region barrier",
                                                 "critical",
                                                 "lock",
                                                 "nest lock",
                                                 "atomic",
                                                 "ordered",
                                                 "doacross",
                                                 "reduction",
                                                 "taskwait",
                                                 "taskgroup",
                                                 "taskloop",
                                                 "task dependence",
                                                 "copyprivate",
                                                 "task event",
                                                 "target",
                                                 "target map",
                                                 "target update",
                                                 "begin of region",
                                                 "idle",
                                                 "end of region or idle",
                                                 "pthread mutex",
                                                 "semaphore",
                                                 "pthread rwlock",
                                                 "pthread spin lock"};

// By Role.
constexpr std::array<std::string_view, 25> roles{"",
                                                 "begins league",
                                                 "begins team",
                                                 "ends region",
                                                 "begins serialized",
                                                 "ends serialized",
                                                 "allocates task",
                                                 "ends undeferred task",
                                                 "executes next part",
                                                 "ends any taskgroup",
                                                 "starts single",
                                                 "starts sections",
                                                 "ends sections",
                                                 "forks",
                                                 "joins",
                                                 "links serialized",
                                                 "calls body",
                                                 "wraps body",
                                                 "executes task",
                                                 "works on task",
                                                 "takes own lock",
                                                 "waits before region",
                                                 "waits behind region",
                                                 "gathers",
                                                 "releases"};

}  // namespace

std::string_view text(Role role) { return roles.at(static_cast<std::size_t>(role)); }

std::string_view text(WaitKind kind) { return texts.at(static_cast<std::size_t>(kind)); }

WaitKind wait_kind(std::string_view text) {
    const auto *const found = std::ranges::find(texts, text);
    return found == texts.end() ? WaitKind::none : static_cast<WaitKind>(found - texts.begin());
}

EntryPoints::EntryPoints(const Modules &runtimes) {
    for (const auto &runtime : runtimes) {
        for (const EntryPoint &entry : entry_points()) {
            const auto symbol = runtime->elf->symbol(entry.name);
            if (symbol && symbol->kind == SymbolKind::function) {
                const std::uint64_t start = runtime->bias + symbol->value;
                by_start_.try_emplace(start, Mapped{start + symbol->size, &entry});
            }
        }
    }
}

const EntryPoint *EntryPoints::at(std::uint64_t address) const {
    const auto found = by_start_.find(address);
    return found == by_start_.end() ? nullptr : found->second.entry;
}

template <class IsWanted> std::vector<std::uint64_t> EntryPoints::those(IsWanted is_wanted) const {
    std::vector<std::uint64_t> found;
    for (const auto &[start, mapped] : by_start_) {
        if (is_wanted(*mapped.entry)) {
            found.push_back(start);
        }
    }
    return found;
}

std::vector<std::uint64_t> EntryPoints::beginning() const {
    return those([](const EntryPoint &one) { return one.begins_region; });
}

std::vector<std::uint64_t> EntryPoints::starts(const EntryPoint &entry) const {
    return those([&](const EntryPoint &one) { return &one == &entry; });
}

const EntryPoint *EntryPoints::around(std::uint64_t pc) const {
    const auto after = by_start_.upper_bound(pc);
    if (after == by_start_.begin()) {
        return nullptr;
    }
    const Mapped &mapped = std::prev(after)->second;
    return pc < mapped.end ? mapped.entry : nullptr;
}

}  // namespace gdb_ompd::code
