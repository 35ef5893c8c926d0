// SPDX-License-Identifier: Apache-2.0
// What LLVM's runtime keeps of a thread, read at once. The fields are those of
// kmp_info_t and kmp_taskdata_t in openmp/runtime/src/kmp.h.
#pragma once

#include "runtimes/llvm/records.hpp"

#include <optional>
#include <span>

namespace gdb_ompd::llvm {

struct ThreadRecord {
    std::uint64_t gtid = 0;
    TargetAddr address;  // of the kmp_base_info_t
    std::uint64_t pthread_id = 0;
    std::uint64_t thread_num = 0;
    TargetAddr team;  // a kmp_team_t
    TargetAddr task;

    // Of a worker that runs already the thread that makes it may still have to write its id down
    // (__kmp_create_worker in openmp/runtime/src/z_Linux_util.cpp).
    [[nodiscard]] bool is_of_another_than(std::optional<std::uint64_t> id) const {
        return id && pthread_id != 0 && pthread_id != *id;
    }
};

// The index of a thread's record in __kmp_threads, from the thread's own storage; none for one
// that the runtime does not know (yet, or any more). Throws Unreadable.
std::optional<std::uint64_t> global_number(const Memory &memory, TargetAddr thread_pointer);

// None for a thread that the runtime does not know. THREADS is the array that __kmp_threads
// points to. Throws Unreadable.
std::optional<ThreadRecord> thread_record(const Memory &memory, const Places &places,
                                          TargetAddr threads, TargetAddr thread_pointer);

// Have what leads to these threads' records, and the records, by one read of the kernel's for all,
// where the space reads from it. The walk that follows finds them read.
void read_records_ahead(AddressSpace &space, const Places &places,
                        std::span<const TargetAddr> pointers);

}  // namespace gdb_ompd::llvm
