// SPDX-License-Identifier: Apache-2.0
// What the runtime records of a user's lock or of a critical construct: whether it is held,
// by whom, and who is queued for it (openmp/runtime/src/kmp_lock.h).
#pragma once

#include "runtimes/capabilities.hpp"
#include "runtimes/llvm/members.hpp"
#include "runtimes/llvm/private_fields.hpp"

#include <optional>
#include <vector>

namespace gdb_ompd::llvm {

class Locks {
public:
    // TABLE is the runtime's table of locks. Throws UnknownField.
    Locks(const PrivateFields &fields, const Members &members, std::optional<TargetAddr> table);

    // The lock whose variable is at ADDRESS, a critical's or one of the user's.
    [[nodiscard]] LockWord read(const Memory &memory, TargetAddr address, Mutex kind) const;

private:
    [[nodiscard]] LockWord word(const Memory &memory, TargetAddr address, Mutex kind) const;
    [[nodiscard]] LockWord direct(std::uint64_t word) const;
    [[nodiscard]] LockWord indirect(const Memory &memory, TargetAddr lock) const;
    [[nodiscard]] LockWord queuing(const Memory &memory, TargetAddr record, bool is_nested) const;
    [[nodiscard]] LockWord nested(const Memory &memory, TargetAddr record, FieldPlace poll,
                                  FieldPlace depth) const;
    [[nodiscard]] std::optional<std::vector<int>> queue(const Memory &memory, std::int64_t head,
                                                        std::int64_t tail) const;
    [[nodiscard]] std::optional<TargetAddr> in_table(const Memory &memory,
                                                     std::uint64_t index) const;
    // Take down the owner with that number, of which -1 is none.
    void set_owner(LockWord &word, std::int64_t gtid) const;

    const Members &members_;
    TargetAddr table_;
    FieldPlace next_waiting_;
    FieldPlace lock_, type_;                    // of kmp_indirect_lock_t
    std::size_t lock_size_;                     // of that
    FieldPlace rows_, row_count_, next_table_;  // of kmp_indirect_lock_table_t
    FieldPlace head_, tail_, owner_, depth_;    // of a queuing lock
    FieldPlace tas_poll_, tas_depth_, futex_poll_, futex_depth_;
    std::uint64_t queuing_, nested_queuing_, nested_tas_, nested_futex_;  // kinds of lock
};

}  // namespace gdb_ompd::llvm
