// SPDX-License-Identifier: Apache-2.0
// The runtime's threads that the debugger knows.
#pragma once

#include "runtimes/llvm/teams.hpp"

#include <map>
#include <optional>
#include <vector>

namespace gdb_ompd::llvm {

struct Member {
    int gdb_num = 0;
    OmpThread thread;
};

class Members {
public:
    explicit Members(std::vector<Member> members) : members_(std::move(members)) {
        for (const Member &member : members_) {
            by_gdb_num_.emplace(member.gdb_num, &member.thread);
            by_address_.emplace(member.thread.address.value, member.gdb_num);
            if (member.thread.gtid) {
                by_gtid_.emplace(*member.thread.gtid, &member);
            }
        }
    }
    ~Members() = default;
    Members(const Members &) = delete;
    Members(Members &&) = delete;
    Members &operator=(const Members &) = delete;
    Members &operator=(Members &&) = delete;

    [[nodiscard]] const std::vector<Member> &all() const noexcept { return members_; }
    // Null, or none, for a thread that is not one of them.
    [[nodiscard]] const OmpThread *at(int gdb_num) const { return find(by_gdb_num_, gdb_num); }
    [[nodiscard]] const Member *with_gtid(std::int64_t gtid) const {
        return gtid < 0 ? nullptr : find(by_gtid_, static_cast<std::uint64_t>(gtid));
    }
    [[nodiscard]] std::optional<int> gdb_num_of(TargetAddr record) const {
        const auto found = by_address_.find(record.value);
        return found == by_address_.end() ? std::nullopt : std::optional(found->second);
    }

private:
    template <class Map, class Key>
    static typename Map::mapped_type find(const Map &map, const Key &key) {
        const auto found = map.find(key);
        return found == map.end() ? nullptr : found->second;
    }

    std::vector<Member> members_;
    std::map<int, const OmpThread *> by_gdb_num_;
    std::map<std::uint64_t, int> by_address_;
    std::map<std::uint64_t, const Member *> by_gtid_;
};

}  // namespace gdb_ompd::llvm
