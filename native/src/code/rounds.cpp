// SPDX-License-Identifier: Apache-2.0
#include "code/rounds.hpp"

#include <algorithm>

namespace gdb_ompd::code {

namespace {

constexpr int most_ways = 200;

}  // namespace

Rounds::Rounds(UserCalls &calls, Ahead begin, std::uint64_t pc)
    : code_(calls.functions().function(pc)), pc_(pc) {
    if (code_ == nullptr || !code_->index_of(pc)) {
        is_known_ = false;
        return;
    }
    ways_.emplace(*code_);
    begin.forget_decided();
    left_.push_back(std::move(begin));
    for (int count = 0; count < most_ways && !left_.empty(); ++count) {
        const Ahead next = left_.front();
        left_.pop_front();
        follow(next);
    }
    is_known_ = is_known_ && left_.empty();
}

bool Rounds::go_on() const {
    // A branch that known values have decided once depends on what the thread counts.
    return is_known_ && comes_ &&
           (leaves_.empty() || (asks_time_ && std::ranges::none_of(leaves_, [this](auto one) {
                                    return decided_.contains(one);
                                })));
}

void Rounds::follow(Ahead ahead) {
    const Ahead::End end = ahead.go_to(pc_, Ahead::Until::at_turns);
    if (end == Ahead::End::unknown || end == Ahead::End::returns ||
        ahead.state().changes_memory()) {
        is_known_ = false;
        return;
    }
    comes_ = comes_ || end == Ahead::End::comes;
    read_.insert(ahead.state().read().begin(), ahead.state().read().end());
    own_read_.insert(ahead.state().own_read().begin(), ahead.state().own_read().end());
    for (const auto &piece : ahead.state().written()) {
        written_.insert(piece.first);
    }
    decided_.insert(ahead.decided().begin(), ahead.decided().end());
    tried_.insert(ahead.tried().begin(), ahead.tried().end());
    asks_time_ = asks_time_ || ahead.asks_time();
    lets_go_ = lets_go_ || ahead.lets_go();
    const auto [known, is_new] = known_.try_emplace({end, ahead.place()}, ahead);
    if (!is_new && !known->second.join(ahead)) {
        return;
    }
    const Ahead &joined = known->second;
    if (end == Ahead::End::forks) {
        fork(joined);
    } else {
        left_.push_back(joined);
    }
}

void Rounds::fork(const Ahead &ahead) {
    const bool is_inside = ahead.place().size() > 1;
    const std::uint64_t branch = ahead.place().front();
    for (const bool is_taken : {true, false}) {
        Ahead way = ahead;
        way.take(is_taken);
        if (is_inside || leads_back(way.place().front())) {
            left_.push_back(std::move(way));
        } else {
            leaves_.insert(branch);
        }
    }
}

bool Rounds::leads_back(std::uint64_t to) const {
    const auto from = code_->index_of(to);
    return from && ways_->leads_to(ways_->block_of(*from), ways_->block_of(*code_->index_of(pc_)));
}

}  // namespace gdb_ompd::code
