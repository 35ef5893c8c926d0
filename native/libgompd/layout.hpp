// SPDX-License-Identifier: Apache-2.0
// Where libgomp keeps what in its records: known for each family of versions, and proved on
// the code that is mapped before anything is said.
#pragma once

#include "target.hpp"

namespace libgompd {

// Offsets in bytes. Those of every family are constants.
namespace offsets {
constexpr std::int64_t state = 16;  // of struct gomp_team_state in a thread's record
constexpr std::int64_t team_id = 24, level = 28, active_level = 32;  // in a team's state
constexpr std::int64_t team_size = 0, outer_state = 8;               // in a team's record
constexpr std::int64_t parent = 0, taskgroup = 40;                   // in a task's record
// In a pool's record: how many threads come to its barrier, and how many have not yet.
constexpr std::int64_t dock = 64, dock_missing = 128;
}  // namespace offsets

// One family of versions.
struct Family {
    const char *name = nullptr;
    const char *marker = nullptr;  // a function that the oldest of them was the first to export
    std::int64_t task = 0, release = 0, pool = 0;  // in a thread's record
    std::int64_t members = 0;                      // in a team's record: where its threads' are
    std::int64_t icvs = 0, function = 0, kind = 0, final_task = 0;  // in a task's record
    std::size_t task_size = 0;
};

// Of records, as far as they are read, in a layout that is not known yet.
constexpr std::size_t largest_thread = 256;
constexpr std::size_t largest_team = 256;
constexpr std::size_t largest_task = 512;

// Where an ICV is: in the ICVs of a task, in a variable of the runtime's, or not known.
struct IcvPlace {
    enum class In : std::uint8_t { nowhere, task, variable } in = In::nowhere;
    std::uint64_t where = 0;  // an offset in the task's ICVs, or an address
    std::size_t size = 0;
};

struct Layout {
    Family family;
    std::int64_t record = 0;  // of a thread, from its thread pointer
    // From there, what the C library's id of the thread leads to; none if that is not known.
    std::optional<std::int64_t> pthread;
    std::optional<std::uint64_t> initial_icvs;  // of tasks that have no record
    IcvPlace nthreads, dynamic, schedule, chunk, thread_limit, max_active_levels, bind,
        default_device, processors, cancellation, max_task_priority, affinity_format;
};

// Whose code the functions of the runtime are: that of which the first getter is one.
[[nodiscard]] Machine machine_of(ompd_address_space_context_t *context);

// Prove the layout on what is mapped. One that is of no family has the name of an unverified
// layout: it is believed where all that is read of it is found in the code. Throws Refused:
// unavailable where the runtime is not ready yet, incompatible where its code does not agree
// with any layout; the user is told.
[[nodiscard]] Layout prove(const Target &program);

// The address of a function or variable of the runtime's.
[[nodiscard]] std::optional<std::uint64_t> runtime_symbol(const Target &target, const char *name);

}  // namespace libgompd
