// SPDX-License-Identifier: Apache-2.0
#include "runtimes/llvm/private_fields.hpp"

#include "elf/debug_fields.hpp"

#include <algorithm>
#include <array>

namespace gdb_ompd::llvm {

namespace {

constexpr FieldPlace no_place{0, static_cast<std::size_t>(-1)};
constexpr std::string_view source_files = "kmp";  // kmp_tasking.cpp and its like
constexpr std::string_view lock_kinds = "kmp_indirect_locktag_t";

struct Row {
    std::string_view name;
    FieldPlace llvm_14, llvm_19;
};

// LATER is what only later versions with the same published constants export.
struct Build {
    std::string_view profile;
    FieldPlace Row::*places;
    std::array<std::string_view, 3> later;
};

// Both as Debian 12's source packages build them, 14.0.6 and 19.1.7 (x86-64), by the debug
// information of such builds.
constexpr std::array builds{
    Build{"LLVM 14", &Row::llvm_14, {}},
    Build{"LLVM 19",
          &Row::llvm_19,
          {"kmp_target_sync_cb", "omp_get_memspace_num_resources", "omp_get_device_from_uid"}},
};

constexpr auto rows = std::to_array<Row>({
    {"kmp_base_info_t.th_dispatch", {88, 8}, {88, 8}},
    {"kmp_base_info_t.th_local", {272, 40}, {384, 40}},
    {"kmp_base_info_t.th_sleep_loc", {400, 8}, {536, 8}},
    {"kmp_base_info_t.th_task_team", {432, 8}, {568, 8}},
    {"kmp_base_info_t.th_bar", {512, 576}, {640, 576}},
    {"kmp_base_info_t.th_next_waiting", {1088, 4}, {1216, 4}},
    {"kmp_local_t.bget_data", {16, 8}, {16, 8}},
    {"thr_data_t.freelist", {0, 960}, {0, 960}},
    {"bfhead_t.ql", {32, 16}, {32, 16}},
    {"qlinks_t.flink", {0, 8}, {0, 8}},
    {"bhead2_t.bsize", {16, 8}, {16, 8}},
    {"kmp_base_team_t.t_bar", {64, 192}, {64, 192}},
    {"kmp_base_team_t.t_task_team", {424, 16}, {424, 16}},
    {"kmp_base_task_team_t.tt_task_pri_list", no_place, {128, 8}},
    {"kmp_base_task_team_t.tt_threads_data", {72, 8}, {144, 8}},
    {"kmp_base_task_team_t.tt_found_tasks", {80, 4}, {152, 4}},
    {"kmp_base_task_team_t.tt_nproc", {84, 4}, {156, 4}},
    {"kmp_base_task_team_t.tt_max_threads", {88, 4}, {160, 4}},
    {"kmp_base_task_team_t.tt_unfinished_threads", {128, 4}, {192, 4}},
    {"kmp_base_task_team_t.tt_active", {192, 4}, {256, 4}},
    {"kmp_base_thread_data_t.td_thr", {0, 8}, {0, 8}},
    {"kmp_base_thread_data_t.td_deque", {128, 8}, {128, 8}},
    {"kmp_base_thread_data_t.td_deque_size", {136, 4}, {136, 4}},
    {"kmp_base_thread_data_t.td_deque_head", {140, 4}, {140, 4}},
    {"kmp_base_thread_data_t.td_deque_tail", {144, 4}, {144, 4}},
    {"kmp_base_thread_data_t.td_deque_ntasks", {148, 4}, {148, 4}},
    {"kmp_taskdata_t.td_alloc_thread", {16, 8}, {16, 8}},
    {"kmp_taskdata_t.td_ident", {40, 8}, {40, 8}},
    {"kmp_taskdata_t.td_incomplete_child_tasks", {132, 4}, {132, 4}},
    {"kmp_taskdata_t.td_taskgroup", {136, 8}, {136, 8}},
    {"kmp_taskdata_t.td_dephash", {144, 8}, {144, 8}},
    {"kmp_taskdata_t.td_depnode", {152, 8}, {152, 8}},
    {"kmp_taskdata_t.td_last_tied", {184, 8}, {184, 8}},
    {"kmp_taskdata_t.td_allow_completion_event", {200, 32}, {200, 32}},
    {"kmp_event_t.type", {0, 4}, {0, 4}},
    {"kmp_event_t.ed", {24, 8}, {24, 8}},
    {"kmp_tasking_flags_t.tiedness", {0, 1}, {0, 1}},
    {"kmp_tasking_flags_t.proxy", {4, 1}, {4, 1}},
    {"kmp_tasking_flags_t.detachable", {6, 1}, {6, 1}},
    {"kmp_base_depnode_t.successors", {0, 8}, {0, 8}},
    {"kmp_base_depnode_t.task", {8, 8}, {8, 8}},
    {"kmp_base_depnode_t.mtx_locks", {16, 32}, {16, 32}},
    {"kmp_base_depnode_t.mtx_num_locks", {48, 4}, {48, 4}},
    {"kmp_base_depnode_t.npredecessors", {128, 4}, {128, 4}},
    {"kmp_base_ticket_lock_t.self", {8, 8}, {8, 8}},
    {"kmp_base_ticket_lock_t.next_ticket", {24, 4}, {24, 4}},
    {"kmp_base_ticket_lock_t.now_serving", {28, 4}, {28, 4}},
    {"kmp_depnode_list_t.node", {0, 8}, {0, 8}},
    {"kmp_depnode_list_t.next", {8, 8}, {8, 8}},
    {"kmp_dephash_t.buckets", {0, 8}, {0, 8}},
    {"kmp_dephash_t.size", {8, 8}, {8, 8}},
    {"kmp_dephash_t.last_all", {16, 8}, {16, 8}},
    {"kmp_dephash_entry_t.last_out", {8, 8}, {8, 8}},
    {"kmp_dephash_entry_t.last_set", {16, 8}, {16, 8}},
    {"kmp_dephash_entry_t.prev_set", {24, 8}, {24, 8}},
    {"kmp_dephash_entry_t.next_in_bucket", {48, 8}, {48, 8}},
    {"kmp_task_pri_t.td", no_place, {0, 192}},
    {"kmp_task_pri_t.next", no_place, {200, 8}},
    {"kmp_task_team_list_t.next", no_place, {8, 8}},
    {"kmp_taskgroup_t.count", {0, 4}, {0, 4}},
    {"kmp_taskgroup_t.parent", {8, 8}, {8, 8}},
    {"kmp_balign_t.bb", {0, 192}, {0, 192}},
    {"kmp_bstate_t.b_go", {48, 8}, {56, 8}},
    {"kmp_bstate_t.b_arrived", {64, 8}, {64, 8}},
    {"kmp_base_team_t.b", {2016, 8}, {2016, 8}},
    {"kmp_taskdata_t.td_level", {32, 4}, {32, 4}},
    {"kmp_taskdata_t.td_taskwait_thread", {60, 4}, {60, 4}},
    {"kmp_balign_team_t.b_arrived", {0, 8}, {0, 8}},
    {"kmp_flag_64<false, true>.loc", {40, 8}, {40, 8}},
    {"kmp_disp_t.th_dispatch_sh_current", {16, 8}, {16, 8}},
    {"kmp_disp_t.th_dispatch_pr_current", {24, 8}, {24, 8}},
    {"kmp_disp_t.th_doacross_buf_idx", {44, 4}, {44, 4}},
    {"kmp_disp_t.th_doacross_flags", {48, 8}, {48, 8}},
    {"kmp_disp_t.th_doacross_info", {56, 8}, {56, 8}},
    {"dispatch_private_info_t.u", {0, 128}, {0, 128}},
    {"dispatch_private_info_t.schedule", {128, 4}, {128, 4}},
    {"dispatch_private_info_t.type_size", {152, 4}, {152, 4}},
    {"dispatch_private_info32_t.count", {0, 4}, {0, 4}},
    {"dispatch_private_info32_t.ub", {4, 4}, {4, 4}},
    {"dispatch_private_info32_t.lb", {8, 4}, {8, 4}},
    {"dispatch_private_info32_t.st", {12, 4}, {12, 4}},
    {"dispatch_private_info32_t.tc", {16, 4}, {16, 4}},
    {"dispatch_private_info32_t.parm1", {32, 4}, {64, 4}},
    {"dispatch_private_info64_t.count", {0, 8}, {0, 8}},
    {"dispatch_private_info64_t.ub", {8, 8}, {8, 8}},
    {"dispatch_private_info64_t.lb", {16, 8}, {16, 8}},
    {"dispatch_private_info64_t.st", {24, 8}, {24, 8}},
    {"dispatch_private_info64_t.tc", {32, 8}, {32, 8}},
    {"dispatch_private_info64_t.parm1", {64, 8}, {64, 8}},
    {"dispatch_private_info32_t.ordered_lower", {64, 4}, {32, 4}},
    {"dispatch_private_info64_t.ordered_lower", {96, 8}, {48, 8}},
    {"dispatch_shared_info_t.u", {0, 64}, {0, 64}},
    {"dispatch_shared_info32_t.iteration", {0, 4}, {0, 4}},
    {"dispatch_shared_info64_t.iteration", {0, 8}, {0, 8}},
    {"dispatch_shared_info32_t.ordered_iteration", {8, 4}, {8, 4}},
    {"dispatch_shared_info64_t.ordered_iteration", {16, 8}, {16, 8}},
    {"kmp_indirect_lock_t.lock", {0, 8}, {0, 8}},
    {"kmp_indirect_lock_t.type", {8, 4}, {8, 4}},
    {"kmp_indirect_lock_table_t.table", {0, 8}, {0, 8}},
    {"kmp_indirect_lock_table_t.nrow_ptrs", {8, 4}, {8, 4}},
    {"kmp_indirect_lock_table_t.next_table", {16, 8}, {16, 8}},
    {"kmp_base_queuing_lock_t.tail_id", {16, 4}, {16, 4}},
    {"kmp_base_queuing_lock_t.head_id", {20, 4}, {20, 4}},
    {"kmp_base_queuing_lock_t.owner_id", {32, 4}, {32, 4}},
    {"kmp_base_queuing_lock_t.depth_locked", {36, 4}, {36, 4}},
    {"kmp_indirect_locktag_t.locktag_queuing", {1, 0}, {1, 0}},
    {"kmp_indirect_locktag_t.locktag_nested_tas", {5, 0}, {5, 0}},
    {"kmp_indirect_locktag_t.locktag_nested_futex", {6, 0}, {6, 0}},
    {"kmp_indirect_locktag_t.locktag_nested_queuing", {8, 0}, {8, 0}},
    {"ident_t.psource", {16, 8}, {16, 8}},
    {"kmp_base_tas_lock_t.poll", {0, 4}, {0, 4}},
    {"kmp_base_tas_lock_t.depth_locked", {4, 4}, {4, 4}},
    {"kmp_base_futex_lock_t.poll", {0, 4}, {0, 4}},
    {"kmp_base_futex_lock_t.depth_locked", {4, 4}, {4, 4}},
    {"bfhead_t", {0, 48}, {0, 48}},
    {"kmp_thread_data_t", {0, 192}, {0, 192}},
    {"kmp_balign_t", {0, 192}, {0, 192}},
    {"kmp_balign_team_t", {0, 64}, {0, 64}},
    {"kmp_indirect_lock_t", {0, 16}, {0, 16}},
});

}  // namespace

std::optional<PrivateFields> PrivateFields::of_debug_information(const ElfImage &file) {
    Places places;
    for (const auto &[name, place] : debug_fields(file, names(), source_files)) {
        places.emplace(name, FieldPlace{place.first, place.second});
    }
    return places.empty() ? std::nullopt : std::optional(PrivateFields(std::move(places)));
}

std::optional<PrivateFields>
PrivateFields::of_build(std::string_view profile,
                        const std::function<bool(const std::string &)> &exports) {
    const auto *const build = std::ranges::find(builds, profile, &Build::profile);
    if (build == builds.end() || std::ranges::any_of(build->later, [&](std::string_view name) {
            return !name.empty() && exports(std::string(name));
        })) {
        return std::nullopt;
    }
    Places places;
    for (const Row &row : rows) {
        const FieldPlace place = row.*build->places;
        if (place.size != no_place.size) {
            places.emplace(row.name, place);
        }
    }
    return PrivateFields(std::move(places));
}

std::vector<std::string> PrivateFields::names() {
    std::vector<std::string> found;
    found.reserve(std::size(rows));
    for (const Row &row : rows) {
        found.emplace_back(row.name);
    }
    return found;
}

std::string_view PrivateFields::enumeration() { return lock_kinds; }

FieldPlace PrivateFields::at(std::string_view name) const {
    const auto found = find(name);
    if (!found) {
        throw UnknownField("where the OpenMP runtime keeps " + std::string(name) + " is not known");
    }
    return *found;
}

std::optional<FieldPlace> PrivateFields::find(std::string_view name) const {
    const auto found = places_.find(name);
    return found == places_.end() ? std::nullopt : std::optional(found->second);
}

}  // namespace gdb_ompd::llvm
