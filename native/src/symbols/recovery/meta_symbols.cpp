// SPDX-License-Identifier: Apache-2.0
#include "meta_symbols.hpp"

namespace gdb_ompd::recovery {

namespace {

struct Member {
    std::string record;
    std::string name;
};

// OMPD_FOREACH_ACCESS
const std::vector<Member> fields = {
    {"kmp_base_info_t", "th_current_task"},
    {"kmp_base_info_t", "th_team"},
    {"kmp_base_info_t", "th_info"},
    {"kmp_base_info_t", "ompt_thread_info"},
    {"kmp_base_root_t", "r_in_parallel"},
    {"kmp_base_team_t", "ompt_team_info"},
    {"kmp_base_team_t", "ompt_serialized_team_info"},
    {"kmp_base_team_t", "t_active_level"},
    {"kmp_base_team_t", "t_implicit_task_taskdata"},
    {"kmp_base_team_t", "t_master_tid"},
    {"kmp_base_team_t", "t_nproc"},
    {"kmp_base_team_t", "t_level"},
    {"kmp_base_team_t", "t_parent"},
    {"kmp_base_team_t", "t_pkfn"},
    {"kmp_base_team_t", "t_threads"},
    {"kmp_desc_t", "ds"},
    {"kmp_desc_base_t", "ds_thread"},
    {"kmp_desc_base_t", "ds_tid"},
    {"kmp_info_t", "th"},
    {"kmp_r_sched_t", "r_sched_type"},
    {"kmp_r_sched_t", "chunk"},
    {"kmp_root_t", "r"},
    {"kmp_internal_control_t", "dynamic"},
    {"kmp_internal_control_t", "max_active_levels"},
    {"kmp_internal_control_t", "nproc"},
    {"kmp_internal_control_t", "proc_bind"},
    {"kmp_internal_control_t", "sched"},
    {"kmp_internal_control_t", "default_device"},
    {"kmp_internal_control_t", "thread_limit"},
    {"kmp_taskdata_t", "ompt_task_info"},
    {"kmp_taskdata_t", "td_flags"},
    {"kmp_taskdata_t", "td_icvs"},
    {"kmp_taskdata_t", "td_parent"},
    {"kmp_taskdata_t", "td_team"},
    {"kmp_task_t", "routine"},
    {"kmp_team_p", "t"},
    {"kmp_nested_nthreads_t", "used"},
    {"kmp_nested_nthreads_t", "nth"},
    {"kmp_nested_proc_bind_t", "used"},
    {"kmp_nested_proc_bind_t", "bind_types"},
    {"ompt_task_info_t", "frame"},
    {"ompt_task_info_t", "scheduling_parent"},
    {"ompt_task_info_t", "task_data"},
    {"ompt_team_info_t", "parallel_data"},
    {"ompt_thread_info_t", "state"},
    {"ompt_thread_info_t", "wait_id"},
    {"ompt_thread_info_t", "thread_data"},
    {"ompt_data_t", "value"},
    {"ompt_data_t", "ptr"},
    {"ompt_frame_t", "exit_frame"},
    {"ompt_frame_t", "enter_frame"},
    {"ompt_lw_taskteam_t", "parent"},
    {"ompt_lw_taskteam_t", "ompt_team_info"},
    {"ompt_lw_taskteam_t", "ompt_task_info"},
};

// OMPD_FOREACH_BITFIELD
const std::vector<Member> flags = {
    {"kmp_tasking_flags_t", "final"},       {"kmp_tasking_flags_t", "tiedness"},
    {"kmp_tasking_flags_t", "tasktype"},    {"kmp_tasking_flags_t", "task_serial"},
    {"kmp_tasking_flags_t", "tasking_ser"}, {"kmp_tasking_flags_t", "team_serial"},
    {"kmp_tasking_flags_t", "started"},     {"kmp_tasking_flags_t", "executing"},
    {"kmp_tasking_flags_t", "complete"},    {"kmp_tasking_flags_t", "freed"},
    {"kmp_tasking_flags_t", "native"},
};

// OMPD_FOREACH_SIZEOF
const std::vector<std::string> sizes = {
    "kmp_info_t",
    "kmp_taskdata_t",
    "kmp_task_t",
    "kmp_tasking_flags_t",
    "kmp_thread_t",
    "ompt_data_t",
    "ompt_id_t",
    "__kmp_avail_proc",
    "__kmp_max_nth",
    "__kmp_stksize",
    "__kmp_omp_cancellation",
    "__kmp_max_task_priority",
    "__kmp_display_affinity",
    "__kmp_affinity_format",
    "__kmp_tool_libraries",
    "__kmp_tool_verbose_init",
    "__kmp_tool",
    "ompd_state",
    "kmp_nested_nthreads_t",
    "__kmp_nested_nth",
    "kmp_nested_proc_bind_t",
    "__kmp_nested_proc_bind",
    "int",
    "char",
    "__kmp_gtid",
    "__kmp_nth",
};

using Names = std::vector<std::string>;

void add_members(Names &names, const std::string &prefix, const std::vector<Member> &members) {
    for (const Member &member : members) {
        names.push_back(prefix + member.record + "__" + member.name);
    }
}

void add_sizes(Names &names) {
    for (const std::string &size : sizes) {
        names.push_back("ompd_sizeof__" + size);
    }
}

}  // namespace

const Names &meta_symbols_in_store_order() {
    static const Names names = [] {
        Names made;
        add_members(made, "ompd_access__", fields);
        add_members(made, "ompd_bitfield__", flags);
        add_members(made, "ompd_sizeof__", fields);
        add_sizes(made);
        return made;
    }();
    return names;
}

const Names &meta_symbols_in_definition_order() {
    static const Names names = [] {
        Names made;
        add_members(made, "ompd_access__", fields);
        add_members(made, "ompd_sizeof__", fields);
        add_members(made, "ompd_bitfield__", flags);
        add_sizes(made);
        return made;
    }();
    return names;
}

}  // namespace gdb_ompd::recovery
