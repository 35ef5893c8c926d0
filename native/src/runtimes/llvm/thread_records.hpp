// SPDX-License-Identifier: Apache-2.0
// What LLVM's runtime keeps of a thread, read at once. The fields are those of
// kmp_info_t and kmp_taskdata_t in openmp/runtime/src/kmp.h.
#pragma once

#include "base/target.hpp"
#include "runtimes/llvm/layout.hpp"

#include <optional>
#include <span>
#include <vector>

namespace gdb_ompd {

class AddressSpace;

using llvm::FieldPlace;

// Where the fields are, by the layout that the runtime publishes.
struct RecordLayout {
    TargetAddr threads;      // the array that __kmp_threads points to
    std::uint64_t info = 0;  // the kmp_base_info_t in its kmp_info_t
    FieldPlace pthread_id, thread_num, team, task, state, wait_id;  // of kmp_base_info_t
    FieldPlace task_flags, task_team;                               // of kmp_taskdata_t
};

struct ThreadRecord {
    std::uint64_t gtid = 0;
    TargetAddr address;  // of the kmp_base_info_t
    std::uint64_t pthread_id = 0;
    std::uint64_t thread_num = 0;
    std::uint64_t team = 0;
    std::uint64_t task = 0;
    std::uint64_t state = 0;
    std::uint64_t wait_id = 0;
    std::uint64_t task_flags = 0;  // 0, as the next, without a task
    std::uint64_t task_team = 0;
};

// None for a thread that the runtime does not know. Throws what AddressSpace does.
std::optional<ThreadRecord> read_thread(AddressSpace &space, const RecordLayout &layout,
                                        TargetAddr thread_pointer);

// How the kernel gives a process's memory: OWN_NUMBER bytes after a thread's pointer is the
// thread's number in the runtime, as it is in static thread-local storage.
struct InKernel {
    int process = 0;
    std::uint64_t own_number = 0;
};

struct RecordRead {
    enum class Kind { unread, unknown, read };  // unknown: to the runtime
    Kind kind = Kind::unread;
    ThreadRecord record;
};

// The same of many threads, by a few reads from the kernel in all. One without a pointer,
// or of which not all could be read so, is unread: it is to be asked by itself.
std::vector<RecordRead> read_threads(AddressSpace &space, const RecordLayout &layout,
                                     const InKernel &where,
                                     std::span<const std::optional<std::uint64_t>> pointers);

}  // namespace gdb_ompd
