// SPDX-License-Identifier: Apache-2.0
#include "code/entry_table.hpp"

#include <algorithm>
#include <array>

namespace gdb_ompd::code {

namespace {

using Kind = WaitKind;

constexpr EntryPoint region(std::string_view name, int body, bool begins = true) {
    EntryPoint entry{name, Kind::region_barrier};
    entry.body = body;
    entry.begins_region = begins;
    return entry;
}

constexpr EntryPoint barrier(std::string_view name, int place = -1) {
    EntryPoint entry{name, Kind::barrier};
    entry.place = place;
    return entry;
}

constexpr EntryPoint mutex(std::string_view name, Kind kind, LockEffect effect, int object = -1) {
    EntryPoint entry{name, kind, object};
    entry.lock = effect;
    return entry;
}

constexpr EntryPoint enters(std::string_view name, Kind kind, int object = -1) {
    return mutex(name, kind, LockEffect::enters, object);
}

constexpr EntryPoint tries(std::string_view name, Kind kind, int object) {
    return mutex(name, kind, LockEffect::tries, object);
}

constexpr EntryPoint leaves(std::string_view name, Kind kind, int object = -1) {
    return mutex(name, kind, LockEffect::leaves, object);
}

constexpr EntryPoint task(std::string_view name, int body, int record) {
    EntryPoint entry{name};
    entry.body = body;
    entry.record = record;
    entry.makes_task = true;
    return entry;
}

constexpr EntryPoint own(std::string_view name) {
    EntryPoint entry{name};
    entry.is_called = false;
    return entry;
}

// GOMP_parallel_end is of code in which GOMP_parallel_start began the region. What begins a
// league begins no parallel region.
constexpr std::array table{
    region("__kmpc_fork_call", 2),
    region("__kmpc_fork_call_if", 2),
    region("__kmpc_fork_teams", 2, false),
    region("GOMP_parallel", 0),
    region(ends_region, -1, false),
    region("GOMP_parallel_sections", 0),
    region("GOMP_parallel_reductions", 0),
    region("GOMP_parallel_loop_static", 0),
    region("GOMP_parallel_loop_dynamic", 0),
    region("GOMP_parallel_loop_guided", 0),
    region("GOMP_parallel_loop_runtime", 0),
    region("GOMP_parallel_loop_nonmonotonic_dynamic", 0),
    region("GOMP_parallel_loop_nonmonotonic_guided", 0),
    region("GOMP_parallel_loop_nonmonotonic_runtime", 0),
    region("GOMP_parallel_loop_maybe_nonmonotonic_runtime", 0),
    region("GOMP_teams_reg", 0, false),
    EntryPoint{.name = "GOMP_parallel_start", .body = 0, .begins_region = true},
    EntryPoint{.name = "__kmpc_serialized_parallel"},
    barrier("__kmpc_barrier", 0),
    barrier("__kmpc_cancel_barrier", 0),
    barrier("__kmpc_barrier_master", 0),
    barrier("GOMP_barrier"),
    barrier("GOMP_barrier_cancel"),
    EntryPoint{.name = "GOMP_loop_end", .kind = Kind::loop_barrier},
    EntryPoint{.name = "GOMP_loop_end_cancel", .kind = Kind::loop_barrier},
    EntryPoint{.name = "GOMP_sections_end", .kind = Kind::sections_barrier},
    EntryPoint{.name = "GOMP_sections_end_cancel", .kind = Kind::sections_barrier},
    // Behind the barrier of such a construct: one thread combines, and the others wait for it.
    EntryPoint{.name = "GOMP_workshare_task_reduction_unregister",
               .kind = Kind::worksharing_barrier},
    enters("__kmpc_critical", Kind::critical, 2),
    enters("__kmpc_critical_with_hint", Kind::critical, 2),
    leaves("__kmpc_end_critical", Kind::critical, 2),
    enters("GOMP_critical_start", Kind::critical),
    leaves("GOMP_critical_end", Kind::critical),
    enters("GOMP_critical_name_start", Kind::critical, 0),
    leaves("GOMP_critical_name_end", Kind::critical, 0),
    enters("omp_set_lock", Kind::lock, 0),
    leaves("omp_unset_lock", Kind::lock, 0),
    enters("omp_set_lock_", Kind::lock, 0),
    leaves("omp_unset_lock_", Kind::lock, 0),
    tries("omp_test_lock", Kind::lock, 0),
    tries("omp_test_lock_", Kind::lock, 0),
    enters("__kmpc_set_lock", Kind::lock, 2),
    tries("__kmpc_test_lock", Kind::lock, 2),
    leaves("__kmpc_unset_lock", Kind::lock, 2),
    enters("omp_set_nest_lock", Kind::nest_lock, 0),
    leaves("omp_unset_nest_lock", Kind::nest_lock, 0),
    enters("omp_set_nest_lock_", Kind::nest_lock, 0),
    leaves("omp_unset_nest_lock_", Kind::nest_lock, 0),
    tries("omp_test_nest_lock", Kind::nest_lock, 0),
    tries("omp_test_nest_lock_", Kind::nest_lock, 0),
    enters("__kmpc_set_nest_lock", Kind::nest_lock, 2),
    tries("__kmpc_test_nest_lock", Kind::nest_lock, 2),
    leaves("__kmpc_unset_nest_lock", Kind::nest_lock, 2),
    enters("GOMP_atomic_start", Kind::atomic),
    leaves("GOMP_atomic_end", Kind::atomic),
    enters("__kmpc_atomic_start", Kind::atomic),
    leaves("__kmpc_atomic_end", Kind::atomic),
    EntryPoint{.name = "__kmpc_ordered", .kind = Kind::ordered},
    EntryPoint{.name = "GOMP_ordered_start", .kind = Kind::ordered},
    EntryPoint{.name = "__kmpc_doacross_wait", .kind = Kind::doacross, .object = 2},
    EntryPoint{.name = "GOMP_doacross_wait", .kind = Kind::doacross},
    EntryPoint{.name = "GOMP_doacross_ull_wait", .kind = Kind::doacross},
    EntryPoint{.name = "__kmpc_reduce", .kind = Kind::reduction, .object = 6},
    EntryPoint{.name = "__kmpc_reduce_nowait", .kind = Kind::reduction, .object = 6},
    EntryPoint{.name = "__kmpc_end_reduce", .kind = Kind::reduction, .object = 2},
    EntryPoint{.name = "__kmpc_omp_taskwait", .kind = Kind::taskwait},
    EntryPoint{.name = "GOMP_taskwait", .kind = Kind::taskwait},
    EntryPoint{.name = "__kmpc_omp_taskwait_deps_51", .kind = Kind::dependence},
    EntryPoint{.name = "__kmpc_omp_wait_deps", .kind = Kind::dependence},
    EntryPoint{.name = "GOMP_taskwait_depend", .kind = Kind::dependence},
    EntryPoint{.name = taskgroup_end, .kind = Kind::taskgroup},
    EntryPoint{.name = "GOMP_taskgroup_end", .kind = Kind::taskgroup},
    EntryPoint{.name = "__kmpc_copyprivate", .kind = Kind::copyprivate},
    EntryPoint{.name = "__kmpc_copyprivate_light", .kind = Kind::copyprivate},
    EntryPoint{.name = "GOMP_single_copy_start", .kind = Kind::copyprivate},
    EntryPoint{.name = "GOMP_single_copy_end", .kind = Kind::copyprivate},
    EntryPoint{.name = "GOMP_target", .kind = Kind::target},
    EntryPoint{.name = "GOMP_target_ext", .kind = Kind::target},
    EntryPoint{.name = "GOMP_single_start"},
    task("GOMP_task", 0, -1),
    task("GOMP_taskloop", 0, -1),
    task("GOMP_taskloop_ull", 0, -1),
    task("__kmpc_omp_task", -1, 2),
    task("__kmpc_omp_task_parts", -1, 2),
    task("__kmpc_omp_task_with_deps", -1, 2),
    task("__kmpc_omp_task_begin_if0", -1, 2),
    task("__kmpc_taskloop", -1, 2),
    task("__kmpc_taskloop_5", -1, 2),
    own(forking),
    own(microtask),
};

// ident_t.flags (LLVM's kmp.h, KMP_IDENT_BARRIER_*).
constexpr std::uint64_t explicit_flag = 0x20;
constexpr std::uint64_t implicit_mask = 0x1c0;

// By WaitKind.
constexpr std::array<std::string_view, 24> texts{"",
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
                                                 "target",
                                                 "begin of region",
                                                 "idle",
                                                 "end of region or idle"};

}  // namespace

std::string_view text(WaitKind kind) { return texts.at(static_cast<std::size_t>(kind)); }

WaitKind wait_kind(std::string_view text) {
    const auto *const found = std::ranges::find(texts, text);
    return found == texts.end() ? Kind::none : static_cast<Kind>(found - texts.begin());
}

std::span<const EntryPoint> entry_points() { return table; }

const EntryPoint *entry_point(std::string_view name) {
    if (name.starts_with(own_prefix)) {
        name.remove_prefix(own_prefix.size());
    }
    const auto *const found = std::find_if(
        table.begin(), table.end(), [name](const EntryPoint &one) { return one.name == name; });
    return found == table.end() ? nullptr : found;
}

bool is_taskloop(const EntryPoint &entry) {
    return entry.name.starts_with("__kmpc_taskloop") || entry.name.starts_with("GOMP_taskloop");
}

bool executes_tasks(const EntryPoint &entry) {
    const bool waits_for_tasks = entry.kind == Kind::taskwait || entry.kind == Kind::taskgroup ||
                                 entry.kind == Kind::dependence;
    return entry.name.starts_with("GOMP_") && (entry.makes_task || waits_for_tasks);
}

bool starts_single(const EntryPoint &entry) {
    return entry.name == "GOMP_single_start" || entry.name == "GOMP_single_copy_start";
}

bool starts_loop(std::string_view name) {
    return name.starts_with("__kmpc_for_static_init") || name.starts_with("__kmpc_dispatch_init") ||
           name.starts_with("__kmpc_dist_");
}

WaitKind barrier_of(std::uint64_t flags) {
    if ((flags & explicit_flag) != 0) {
        return Kind::explicit_barrier;
    }
    switch (flags & implicit_mask) {
    case 0x40:
        return Kind::loop_barrier;
    case 0xc0:
        return Kind::sections_barrier;
    case 0x140:
        return Kind::single_barrier;
    case 0x1c0:
        return Kind::worksharing_barrier;
    default:
        return Kind::barrier;
    }
}

EntryPoints::EntryPoints(const Modules &runtimes) {
    for (const auto &runtime : runtimes) {
        for (const EntryPoint &entry : table) {
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
