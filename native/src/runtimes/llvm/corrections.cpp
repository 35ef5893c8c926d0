// SPDX-License-Identifier: Apache-2.0
#include "runtimes/llvm/corrections.hpp"

#include <array>

namespace gdb_ompd::llvm {

namespace corrections {

constexpr Correction idle_workers{
    "idle-workers",
    "A worker that waits for its next region is said to be in the region that it finished, or"
    " in which it is kept in reserve.",
    "It is in its last team only if the team counts it (kmp_team_t.t_nproc, t_threads) and the"
    " team's primary thread is still in that team or below it (th_team, t_parent)."};
constexpr Correction starting_workers{
    "starting-workers",
    "A worker that is in a team and has not run yet is not known: it has no number of its own"
    " before.",
    "The pthread_t in the record of each thread of the team (kmp_info_t.th_info.ds.ds_thread)."};
constexpr Correction kinds_of_threads{
    "kinds-of-threads",
    "OMPD has no word for initial threads, workers, and the runtime's own helpers. Which thread a"
    " handle is of is not told where the debugger knows no pthread_t (unavailable for LWPs).",
    "The first thread of the outermost team of a thread's is its initial thread;"
    " __kmp_hidden_helper_threads_num says which numbers helpers have."};
constexpr Correction nested_serialized_regions{
    "nested-serialized-regions",
    "Of serialized regions nested in each other one is lost, all have the innermost one's"
    " levels, and the numbers in the teams around them are lost, too.",
    "A team stands for as many regions as its level exceeds its parent's (kmp_team_t.t_level,"
    " t_parent, t_master_tid)."};
constexpr Correction serialized_functions{
    "serialized-functions",
    "The function of a serialized region is what an earlier region left in the team's record, or"
    " is refused (bad_input).",
    "Nowhere: it is unknown."};
constexpr Correction callers{
    "callers", "OMPD does not tell where a region's construct called the runtime.",
    "ompt_team_info_t.master_return_address, of the team and of the regions that it has put"
    " aside (ompt_serialized_team_info)."};
constexpr Correction regions_at_events{
    "regions-at-events",
    "At the event of a region that begins or ends, the thread's region and task are what the"
    " runtime has recorded by then: often the enclosing region, or the region's implicit task.",
    "The region that the event's function was called for; its encountering task is the current"
    " task (OpenMP 5.0, section 5.6.1)."};
constexpr Correction leagues{
    "leagues", "The league of a teams construct and each of its initial teams have a task each.",
    "They are one task: both teams have no level of their own (kmp_team_t.t_level)."};
constexpr Correction states_by_level{
    "states-by-level",
    "A thread is said to work outside of regions while it is in one, or the reverse: after a"
    " task in a serialized region, and in a teams construct.",
    "The level of its team (kmp_team_t.t_level)."};
constexpr Correction unnamed_states{
    "unnamed-states", "The states 0x15 and 0x16 are set, and have no name.",
    "OpenMP 5.1, section 4.4.4.28: wait_barrier_implementation and wait_barrier_teams."};
constexpr Correction shared_tasks{
    "shared-tasks",
    "Serialized regions nested in each other share one record of a task: one implicit task is"
    " lost, and their frames and kinds are those of others.",
    "What each region has put aside of the task that met it (ompt_lw_taskteam_t). Where the runtime"
    " has lost that, or never kept it, the kinds are unknown."};
constexpr Correction untracked{
    "untracked",
    "The functions and frames of tasks are refused (needs_state_tracking) in a program that was"
    " started without OMPD events.",
    "The records of the tasks and teams, which have them all the same."};
constexpr Correction generating_tasks{
    "generating-tasks",
    "The generating task of a worker's implicit task is the one that met an earlier region of"
    " the same team.",
    "The primary thread's implicit task (kmp_team_t.t_implicit_task_taskdata, td_parent)."};
constexpr Correction scheduling_tasks{
    "scheduling-tasks",
    "The scheduling task of a task in nested serialized regions is that of another, of an untied"
    " final task it is the task itself, and while no events are recorded it is none.",
    "ompt_task_info_t.scheduling_parent, where the task's information is. Where that is nothing or"
    " the task itself: the generating task, which executes an undeferred one; else it is unknown."};
constexpr Correction number_of_processors{
    "number-of-processors",
    "num-procs-var and nthreads-var are 0 before the first parallel region.",
    "Nowhere: they are not known before."};
constexpr Correction environment{
    "environment",
    "The display control variables are the defaults from before the environment was read.",
    "The program's own environment (environ, in its C library). Of the others, what the runtime"
    " decides as it starts, such as KMP_LOCK_KIND, is unknown."};

}  // namespace corrections

std::span<const Correction *const> all_corrections() {
    static constexpr std::array<const Correction *, 16> all{
        &corrections::idle_workers,         &corrections::starting_workers,
        &corrections::kinds_of_threads,     &corrections::nested_serialized_regions,
        &corrections::serialized_functions, &corrections::callers,
        &corrections::regions_at_events,    &corrections::leagues,
        &corrections::states_by_level,      &corrections::unnamed_states,
        &corrections::shared_tasks,         &corrections::untracked,
        &corrections::generating_tasks,     &corrections::scheduling_tasks,
        &corrections::number_of_processors, &corrections::environment};
    return all;
}

}  // namespace gdb_ompd::llvm
