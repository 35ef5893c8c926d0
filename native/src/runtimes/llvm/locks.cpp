// SPDX-License-Identifier: Apache-2.0
#include "runtimes/llvm/locks.hpp"

#include "base/target.hpp"

#include <algorithm>
#include <string>

namespace gdb_ompd::llvm {

namespace {

constexpr std::uint64_t locks_per_row = 1024;  // KMP_I_LOCK_CHUNK
constexpr int max_tables = 64;
constexpr FieldPlace variable{0, 4};  // of the type omp_lock_t
// A lock's record begins with its own address, as long as it has not been destroyed.
constexpr FieldPlace initialized{0, pointer_size};
// The tags, in the lowest byte, of locks that are their own word.
constexpr std::uint64_t tag_mask = 0xFF;
constexpr unsigned tag_bits = 8;
constexpr std::uint64_t tas = 3;
constexpr std::uint64_t futex = 5;
// Of transactions, which have ended where a thread stands still: "hle" and "rtm_spin".
constexpr std::uint64_t hle = 7;
constexpr std::uint64_t rtm_spin = 9;

}  // namespace

Locks::Locks(const PrivateFields &fields, const Members &members, std::optional<TargetAddr> table)
    : members_(members), table_(table.value_or(TargetAddr{})),
      next_waiting_(fields.at("kmp_base_info_t.th_next_waiting")),
      lock_(fields.at("kmp_indirect_lock_t.lock")), type_(fields.at("kmp_indirect_lock_t.type")),
      lock_size_(fields.at("kmp_indirect_lock_t").size),
      rows_(fields.at("kmp_indirect_lock_table_t.table")),
      row_count_(fields.at("kmp_indirect_lock_table_t.nrow_ptrs")),
      next_table_(fields.at("kmp_indirect_lock_table_t.next_table")),
      head_(fields.at("kmp_base_queuing_lock_t.head_id")),
      tail_(fields.at("kmp_base_queuing_lock_t.tail_id")),
      owner_(fields.at("kmp_base_queuing_lock_t.owner_id")),
      depth_(fields.at("kmp_base_queuing_lock_t.depth_locked")),
      tas_poll_(fields.at("kmp_base_tas_lock_t.poll")),
      tas_depth_(fields.at("kmp_base_tas_lock_t.depth_locked")),
      futex_poll_(fields.at("kmp_base_futex_lock_t.poll")),
      futex_depth_(fields.at("kmp_base_futex_lock_t.depth_locked")) {
    const auto kind = [&](const char *name) {
        return fields.at(std::string(PrivateFields::enumeration()) + "." + name).offset;
    };
    queuing_ = kind("locktag_queuing");
    nested_queuing_ = kind("locktag_nested_queuing");
    nested_tas_ = kind("locktag_nested_tas");
    nested_futex_ = kind("locktag_nested_futex");
}

LockWord Locks::read(const Memory &memory, TargetAddr address, Mutex kind) const {
    try {
        return word(memory, address, kind);
    } catch (const Inconsistent &) {
        return {};
    }
}

LockWord Locks::word(const Memory &memory, TargetAddr address, Mutex kind) const {
    const std::uint64_t word = memory.field(address, variable);
    if ((word & 1U) != 0) {
        return direct(word);
    }
    if (kind == Mutex::critical) {
        const TargetAddr lock = memory.pointer(address);
        return lock.value == 0 ? LockWord{.held = false} : indirect(memory, lock);
    }
    const auto lock = in_table(memory, word >> 1U);
    return lock ? indirect(memory, *lock) : LockWord{};
}

LockWord Locks::direct(std::uint64_t word) const {
    const std::uint64_t tag = word & tag_mask;
    const std::uint64_t value = word >> tag_bits;
    if (tag == hle || tag == rtm_spin) {
        return {.held = value != 0, .keeps_owner = false};
    }
    if (tag != tas && tag != futex) {
        return {};
    }
    LockWord found{.held = value != 0, .keeps_owner = true};
    if (value != 0) {  // a futex's lowest bit tells that others wait
        set_owner(found, static_cast<std::int64_t>(tag == tas ? value : value >> 1U) - 1);
    }
    return found;
}

LockWord Locks::indirect(const Memory &memory, TargetAddr lock) const {
    const std::uint64_t kind = memory.field(lock, type_);
    const TargetAddr record = memory.pointer(lock, lock_);
    if (kind == queuing_ || kind == nested_queuing_) {
        return queuing(memory, record, kind == nested_queuing_);
    }
    if (kind == nested_tas_) {
        return nested(memory, record, tas_poll_, tas_depth_);
    }
    if (kind == nested_futex_) {
        return nested(memory, record, futex_poll_, futex_depth_);
    }
    return {};
}

// An owner is recorded of a nest lock, and where the runtime checks its user
// (KMP_CONSISTENCY_CHECK).
LockWord Locks::queuing(const Memory &memory, TargetAddr record, bool is_nested) const {
    const std::int64_t head = memory.signed_field(record, head_);
    const std::int64_t tail = memory.signed_field(record, tail_);
    const std::int64_t owner = memory.signed_field(record, owner_);
    const bool is_held = head != 0 || owner != 0;
    LockWord found{.held = is_held, .keeps_owner = is_nested || owner != 0};
    found.destroyed = !is_held && memory.field(record, initialized) != record.value;
    if (is_held) {
        set_owner(found, owner - 1);
        found.queued = head > 0 ? queue(memory, head, tail) : std::vector<int>{};
    }
    if (is_nested) {
        found.depth = memory.signed_field(record, depth_);
    }
    return found;
}

LockWord Locks::nested(const Memory &memory, TargetAddr record, FieldPlace poll,
                       FieldPlace depth) const {
    LockWord found = direct(memory.field(record, poll));
    found.depth = memory.signed_field(record, depth);
    return found;
}

// The threads that wait, which are numbered from 1; none where they are no queue.
std::optional<std::vector<int>> Locks::queue(const Memory &memory, std::int64_t head,
                                             std::int64_t tail) const {
    std::vector<int> found;
    for (std::int64_t position = head;;) {
        const Member *const member = members_.with_gtid(position - 1);
        if (member == nullptr || found.size() == members_.all().size()) {  // a ring
            return std::nullopt;
        }
        found.push_back(member->gdb_num);
        if (position == tail) {
            return found;
        }
        position = memory.signed_field(member->thread.address, next_waiting_);
    }
}

// The lock that a user's variable with that number means.
std::optional<TargetAddr> Locks::in_table(const Memory &memory, std::uint64_t index) const {
    TargetAddr table = table_;
    for (int count = 0; table.value != 0 && count < max_tables; ++count) {
        const std::uint64_t room = memory.field(table, row_count_) * locks_per_row;
        if (index < room) {
            const TargetAddr rows = memory.pointer(table, rows_);
            const TargetAddr row = memory.pointer(rows + pointer_size * (index / locks_per_row));
            return row + (index % locks_per_row) * lock_size_;
        }
        index -= room;
        table = memory.pointer(table, next_table_);
    }
    return std::nullopt;
}

void Locks::set_owner(LockWord &word, std::int64_t gtid) const {
    if (const Member *const member = members_.with_gtid(gtid)) {
        word.owner = member->gdb_num;
    } else if (gtid >= 0) {
        word.stranger = static_cast<std::uint64_t>(gtid);
    }
}

}  // namespace gdb_ompd::llvm
