// SPDX-License-Identifier: Apache-2.0
// The functions of LLVM's and of GCC's runtime, by name.
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
    entry.threads = begins && body == 0 ? 2 : -1;  // GCC's
    return entry;
}

constexpr EntryPoint asks(std::string_view name) {
    EntryPoint entry{name};
    entry.threads = 2;
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

constexpr EntryPoint with_role(Role role, EntryPoint entry) {
    entry.role = role;
    return entry;
}

constexpr EntryPoint own(std::string_view name, Role role) {
    EntryPoint entry{name};
    entry.role = role;
    entry.is_called = false;
    return entry;
}

// A construct that a device executes.
constexpr EntryPoint target(std::string_view name, Kind kind, int device, int deferred = -1) {
    EntryPoint entry{name, kind};
    entry.device = device;
    entry.deferred = deferred;
    return entry;
}

constexpr EntryPoint clangs_target(std::string_view name, int device, int region_id) {
    EntryPoint entry = target(name, Kind::target, device);
    entry.region_id = region_id;
    return entry;
}

constexpr EntryPoint with_body(int body, EntryPoint entry) {
    entry.body = body;
    return entry;
}

// By their names in LLVM's openmp/runtime/src/kmp.h and GCC's libgomp/libgomp_g.h: __kmpc_ for
// clang's code, GOMP_ for GCC's, omp_ for the user's. GOMP_parallel_end is of code in which
// GOMP_parallel_start began the region. What begins a league begins no parallel region.
constexpr std::array table{
    region("__kmpc_fork_call", 2),
    region("__kmpc_fork_call_if", 2),
    with_role(Role::begins_league, region("__kmpc_fork_teams", 2, false)),
    region("GOMP_parallel", 0),
    with_role(Role::ends_region, region("GOMP_parallel_end", -1, false)),
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
    with_role(Role::begins_league, region("GOMP_teams_reg", 0, false)),
    EntryPoint{.name = "GOMP_teams", .role = Role::begins_team},
    EntryPoint{.name = "GOMP_teams4", .role = Role::begins_team},
    EntryPoint{.name = "GOMP_parallel_start", .body = 0, .threads = 2, .begins_region = true},
    EntryPoint{.name = "__kmpc_serialized_parallel", .role = Role::begins_serialized},
    EntryPoint{.name = "__kmpc_end_serialized_parallel", .role = Role::ends_serialized},
    asks("__kmpc_push_num_threads"),
    asks("__kmpc_push_num_threads_strict"),
    barrier("__kmpc_barrier", 0),
    barrier("__kmpc_cancel_barrier", 0),
    barrier("__kmpc_barrier_master", 0),
    barrier("GOMP_barrier"),
    barrier("GOMP_barrier_cancel"),
    EntryPoint{.name = "GOMP_loop_end", .kind = Kind::loop_barrier},
    EntryPoint{.name = "GOMP_loop_end_cancel", .kind = Kind::loop_barrier},
    EntryPoint{
        .name = "GOMP_sections_end", .kind = Kind::sections_barrier, .role = Role::ends_sections},
    EntryPoint{.name = "GOMP_sections_end_cancel",
               .kind = Kind::sections_barrier,
               .role = Role::ends_sections},
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
    enters("__kmpc_ordered", Kind::ordered),
    leaves("__kmpc_end_ordered", Kind::ordered),
    enters("GOMP_ordered_start", Kind::ordered),
    leaves("GOMP_ordered_end", Kind::ordered),
    // At an iteration's end, where it has not come to its ordered construct.
    EntryPoint{.name = "__kmpc_dispatch_fini_4", .kind = Kind::ordered},
    EntryPoint{.name = "__kmpc_dispatch_fini_4u", .kind = Kind::ordered},
    EntryPoint{.name = "__kmpc_dispatch_fini_8", .kind = Kind::ordered},
    EntryPoint{.name = "__kmpc_dispatch_fini_8u", .kind = Kind::ordered},
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
    EntryPoint{
        .name = "__kmpc_end_taskgroup", .kind = Kind::taskgroup, .role = Role::ends_any_taskgroup},
    EntryPoint{.name = "GOMP_taskgroup_end", .kind = Kind::taskgroup},
    EntryPoint{.name = "__kmpc_copyprivate", .kind = Kind::copyprivate},
    EntryPoint{.name = "__kmpc_copyprivate_light", .kind = Kind::copyprivate},
    EntryPoint{
        .name = "GOMP_single_copy_start", .kind = Kind::copyprivate, .role = Role::starts_single},
    EntryPoint{.name = "GOMP_single_copy_end", .kind = Kind::copyprivate},
    with_body(1, target("GOMP_target", Kind::target, 0)),
    with_body(1, target("GOMP_target_ext", Kind::target, 0, 6)),
    target("GOMP_target_data", Kind::target_map, 0),
    target("GOMP_target_data_ext", Kind::target_map, 0),
    target("GOMP_target_end_data", Kind::target_map, -1),
    target("GOMP_target_enter_exit_data", Kind::target_map, 0, 5),
    target("GOMP_target_update", Kind::target_update, 0),
    target("GOMP_target_update_ext", Kind::target_update, 0, 5),
    clangs_target("__tgt_target", 0, 1),
    clangs_target("__tgt_target_teams", 0, 1),
    target("__tgt_target_data_begin", Kind::target_map, 0),
    target("__tgt_target_data_end", Kind::target_map, 0),
    target("__tgt_target_data_update", Kind::target_update, 0),
    clangs_target("__tgt_target_nowait", 0, 1),
    clangs_target("__tgt_target_teams_nowait", 0, 1),
    target("__tgt_target_data_begin_nowait", Kind::target_map, 0),
    target("__tgt_target_data_end_nowait", Kind::target_map, 0),
    target("__tgt_target_data_update_nowait", Kind::target_update, 0),
    clangs_target("__tgt_target_mapper", 1, 2),
    clangs_target("__tgt_target_teams_mapper", 1, 2),
    target("__tgt_target_data_begin_mapper", Kind::target_map, 1),
    target("__tgt_target_data_end_mapper", Kind::target_map, 1),
    target("__tgt_target_data_update_mapper", Kind::target_update, 1),
    clangs_target("__tgt_target_nowait_mapper", 1, 2),
    clangs_target("__tgt_target_teams_nowait_mapper", 1, 2),
    target("__tgt_target_data_begin_nowait_mapper", Kind::target_map, 1),
    target("__tgt_target_data_end_nowait_mapper", Kind::target_map, 1),
    target("__tgt_target_data_update_nowait_mapper", Kind::target_update, 1),
    clangs_target("__tgt_target_kernel", 1, 4),
    clangs_target("__tgt_target_kernel_nowait", 1, 4),
    EntryPoint{.name = "GOMP_single_start", .role = Role::starts_single},
    task("GOMP_task", 0, -1),
    task("GOMP_taskloop", 0, -1),
    task("GOMP_taskloop_ull", 0, -1),
    with_role(Role::executes_next_part, task("__kmpc_omp_task", -1, 2)),
    task("__kmpc_omp_task_parts", -1, 2),
    task("__kmpc_omp_task_with_deps", -1, 2),
    task("__kmpc_omp_task_begin_if0", -1, 2),
    task("__kmpc_taskloop", -1, 2),
    task("__kmpc_taskloop_5", -1, 2),
    own("__kmp_fork_call", Role::forks),
    own("__kmp_invoke_microtask", Role::calls_body),
};

constexpr std::string_view own_prefix = "__kmp_api_";
constexpr std::string_view gccs_prefix = "GOMP_";
constexpr std::string_view clangs_prefix = "__kmpc_";

// More functions by how their names begin: compilers add to some.
struct Named {
    std::string_view beginning;
    Role role;
};
constexpr std::array named{
    Named{"GOMP_sections_start", Role::starts_sections},
    Named{"GOMP_sections2_start", Role::starts_sections},
    Named{"GOMP_sections_end", Role::ends_sections},
    Named{"__kmpc_omp_task_alloc", Role::allocates_task},
    Named{"__kmpc_omp_task_complete_if0", Role::ends_undeferred_task},
    Named{"__kmp_fork_call", Role::forks},
    Named{"__kmp_join_call", Role::joins},
    Named{"__ompt_lw_taskteam_link", Role::links_serialized},
    Named{"__kmp_GOMP_microtask_wrapper", Role::wraps_body},
    Named{"__kmp_GOMP_parallel_microtask_wrapper", Role::wraps_body},
    Named{"__kmp_invoke_task", Role::executes_task},
    Named{"__kmp_task_start", Role::works_on_task},
    Named{"__kmp_task_finish", Role::works_on_task},
    Named{"__kmp_acquire_ticket_lock", Role::takes_own_lock},
    Named{"__kmp_fork_barrier", Role::waits_before_region},
    Named{"__kmp_join_barrier", Role::waits_behind_region},
    Named{"__kmp_hyper_barrier_gather", Role::gathers},
    Named{"__kmp_hyper_barrier_", Role::releases},
    Named{"__kmp_linear_barrier_gather", Role::gathers},
    Named{"__kmp_linear_barrier_", Role::releases},
    Named{"__kmp_tree_barrier_gather", Role::gathers},
    Named{"__kmp_tree_barrier_", Role::releases},
};

// The functions of a runtime that is linked into the program itself.
constexpr std::array<std::string_view, 7> runtime_prefixes{"kmp", "kmpc", "ompt", "ompd",
                                                           "omp", "GOMP", "gomp"};

// ident_t.flags (LLVM's kmp.h, KMP_IDENT_BARRIER_*).
constexpr std::uint64_t explicit_flag = 0x20;
constexpr std::uint64_t implicit_mask = 0x1c0;

}  // namespace

std::span<const EntryPoint> entry_points() { return table; }

const EntryPoint *entry_point(std::string_view name) {
    name = own_name(name);
    const auto *const found = std::find_if(
        table.begin(), table.end(), [name](const EntryPoint &one) { return one.name == name; });
    return found == table.end() ? nullptr : found;
}

std::string_view own_name(std::string_view name) {
    if (name.starts_with(own_prefix)) {
        name.remove_prefix(own_prefix.size());
    }
    return name;
}

Role role_of(std::string_view name) {
    if (!is_runtime_name(name)) {
        return Role::none;
    }
    if (const EntryPoint *const entry = entry_point(name)) {
        return entry->role;
    }
    const auto *const found = std::ranges::find_if(
        named, [name](const Named &one) { return name.starts_with(one.beginning); });
    return found == named.end() ? Role::none : found->role;
}

std::vector<std::string_view> names_with(std::string_view role) {
    std::vector<std::string_view> found;
    for (const EntryPoint &entry : table) {
        if (text(entry.role) == role) {
            found.push_back(entry.name);
        }
    }
    for (const Named &one : named) {
        if (text(one.role) == role && entry_point(one.beginning) == nullptr) {
            found.push_back(one.beginning);
        }
    }
    return found;
}

bool is_entry_name(std::string_view name) {
    return name.starts_with(clangs_prefix) || is_of_gcc(name);
}

bool is_of_gcc(std::string_view name) { return name.starts_with(gccs_prefix); }

bool is_runtime_name(std::string_view name) {
    if (name.starts_with("__kmp")) {
        return true;
    }
    for (int underscores = 0; underscores < 2 && name.starts_with('_'); ++underscores) {
        name.remove_prefix(1);
    }
    return std::ranges::any_of(runtime_prefixes, [name](auto prefix) {
        return name.starts_with(prefix) && name.substr(prefix.size()).starts_with('_');
    });
}

bool is_taskloop(const EntryPoint &entry) {
    return entry.name.starts_with("__kmpc_taskloop") || entry.name.starts_with("GOMP_taskloop");
}

bool executes_tasks(const EntryPoint &entry) {
    return entry.is_of_gcc() && (entry.makes_task || waits_for_tasks(entry.kind));
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

}  // namespace gdb_ompd::code
