// SPDX-License-Identifier: Apache-2.0
#include "runtimes/llvm/private_fields.hpp"

#include "elf/debug_fields.hpp"

#include <array>

namespace gdb_ompd::llvm {

namespace {

constexpr std::string_view source_files = "kmp";  // kmp_tasking.cpp and its like
constexpr std::string_view lock_kinds = "kmp_indirect_locktag_t";

constexpr auto all_names = std::to_array<std::string_view>({
    "kmp_base_info_t.th_dispatch",
    "kmp_base_info_t.th_current_place",
    "kmp_base_info_t.th_first_place",
    "kmp_base_info_t.th_last_place",
    "kmp_base_info_t.th_local",
    "kmp_base_info_t.th_sleep_loc",
    "kmp_base_info_t.th_task_team",
    "kmp_base_info_t.th_bar",
    "kmp_base_info_t.th_next_waiting",
    "kmp_local_t.bget_data",
    "thr_data_t.freelist",
    "bfhead_t.ql",
    "qlinks_t.flink",
    "bhead2_t.bsize",
    "kmp_base_team_t.t_bar",
    nested_regions,
    "kmp_base_team_t.t_task_team",
    "kmp_base_task_team_t.tt_task_pri_list",
    "kmp_base_task_team_t.tt_threads_data",
    "kmp_base_task_team_t.tt_found_tasks",
    "kmp_base_task_team_t.tt_nproc",
    "kmp_base_task_team_t.tt_max_threads",
    "kmp_base_task_team_t.tt_unfinished_threads",
    "kmp_base_task_team_t.tt_active",
    "kmp_base_thread_data_t.td_thr",
    "kmp_base_thread_data_t.td_deque",
    "kmp_base_thread_data_t.td_deque_size",
    "kmp_base_thread_data_t.td_deque_head",
    "kmp_base_thread_data_t.td_deque_tail",
    "kmp_base_thread_data_t.td_deque_ntasks",
    "kmp_taskdata_t.td_alloc_thread",
    "kmp_taskdata_t.td_ident",
    "kmp_taskdata_t.td_incomplete_child_tasks",
    "kmp_taskdata_t.td_taskgroup",
    "kmp_taskdata_t.td_dephash",
    "kmp_taskdata_t.td_depnode",
    "kmp_taskdata_t.td_last_tied",
    "kmp_taskdata_t.td_allow_completion_event",
    "kmp_event_t.type",
    "kmp_event_t.ed",
    "kmp_tasking_flags_t.tiedness",
    "kmp_tasking_flags_t.proxy",
    "kmp_tasking_flags_t.detachable",
    "kmp_base_depnode_t.successors",
    "kmp_base_depnode_t.task",
    "kmp_base_depnode_t.mtx_locks",
    "kmp_base_depnode_t.mtx_num_locks",
    "kmp_base_depnode_t.npredecessors",
    "kmp_base_ticket_lock_t.self",
    "kmp_base_ticket_lock_t.next_ticket",
    "kmp_base_ticket_lock_t.now_serving",
    "kmp_depnode_list_t.node",
    "kmp_depnode_list_t.next",
    "kmp_dephash_t.buckets",
    "kmp_dephash_t.size",
    "kmp_dephash_t.last_all",
    "kmp_dephash_entry_t.last_out",
    "kmp_dephash_entry_t.last_set",
    "kmp_dephash_entry_t.prev_set",
    "kmp_dephash_entry_t.next_in_bucket",
    "kmp_task_pri_t.td",
    "kmp_task_pri_t.next",
    "kmp_task_team_list_t.next",
    "kmp_taskgroup_t.count",
    "kmp_taskgroup_t.parent",
    "kmp_balign_t.bb",
    "kmp_bstate_t.b_go",
    "kmp_bstate_t.b_arrived",
    "kmp_base_team_t.b",
    "kmp_taskdata_t.td_level",
    "kmp_taskdata_t.td_taskwait_thread",
    "kmp_balign_team_t.b_arrived",
    "kmp_flag_64<false, true>.loc",
    "kmp_disp_t.th_dispatch_sh_current",
    "kmp_disp_t.th_dispatch_pr_current",
    "kmp_disp_t.th_doacross_buf_idx",
    "kmp_disp_t.th_doacross_flags",
    "kmp_disp_t.th_doacross_info",
    "dispatch_private_info_t.u",
    "dispatch_private_info_t.schedule",
    "dispatch_private_info_t.type_size",
    "dispatch_private_info32_t.count",
    "dispatch_private_info32_t.ub",
    "dispatch_private_info32_t.lb",
    "dispatch_private_info32_t.st",
    "dispatch_private_info32_t.tc",
    "dispatch_private_info32_t.parm1",
    "dispatch_private_info64_t.count",
    "dispatch_private_info64_t.ub",
    "dispatch_private_info64_t.lb",
    "dispatch_private_info64_t.st",
    "dispatch_private_info64_t.tc",
    "dispatch_private_info64_t.parm1",
    "dispatch_private_info32_t.ordered_lower",
    "dispatch_private_info64_t.ordered_lower",
    "dispatch_shared_info_t.u",
    "dispatch_shared_info32_t.iteration",
    "dispatch_shared_info64_t.iteration",
    "dispatch_shared_info32_t.ordered_iteration",
    "dispatch_shared_info64_t.ordered_iteration",
    "kmp_indirect_lock_t.lock",
    "kmp_indirect_lock_t.type",
    "kmp_indirect_lock_table_t.table",
    "kmp_indirect_lock_table_t.nrow_ptrs",
    "kmp_indirect_lock_table_t.next_table",
    "kmp_base_queuing_lock_t.tail_id",
    "kmp_base_queuing_lock_t.head_id",
    "kmp_base_queuing_lock_t.owner_id",
    "kmp_base_queuing_lock_t.depth_locked",
    "kmp_indirect_locktag_t.locktag_queuing",
    "kmp_indirect_locktag_t.locktag_nested_tas",
    "kmp_indirect_locktag_t.locktag_nested_futex",
    "kmp_indirect_locktag_t.locktag_nested_queuing",
    "ident_t.psource",
    "kmp_base_tas_lock_t.poll",
    "kmp_base_tas_lock_t.depth_locked",
    "kmp_base_futex_lock_t.poll",
    "kmp_base_futex_lock_t.depth_locked",
    "bfhead_t",
    "kmp_thread_data_t",
    "kmp_balign_t",
    "kmp_balign_team_t",
    "kmp_indirect_lock_t",
});

}  // namespace

std::optional<PrivateFields> PrivateFields::of_debug_information(const ElfImage &file) {
    Places places;
    for (const auto &[name, place] : debug_fields(file, names(), source_files)) {
        places.emplace(name, FieldPlace{place.first, place.second});
    }
    return places.empty() ? std::nullopt : std::optional(PrivateFields(std::move(places)));
}

std::vector<std::string> PrivateFields::names() { return {all_names.begin(), all_names.end()}; }

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
