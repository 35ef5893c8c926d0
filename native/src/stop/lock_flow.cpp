// SPDX-License-Identifier: Apache-2.0
#include "stop/lock_flow.hpp"

#include <algorithm>
#include <iterator>

namespace gdb_ompd {

namespace {

Inside joined(const Inside &one, const Inside &other) {
    Inside both;
    std::ranges::set_intersection(one.surely, other.surely,
                                  std::inserter(both.surely, both.surely.end()));
    both.perhaps = one.perhaps;
    both.perhaps.insert(other.perhaps.begin(), other.perhaps.end());
    return both;
}

}  // namespace

bool leaves_first(const code::FunctionCode &code, const LockChanges &changes,
                  const LockChange &leaves, std::vector<std::size_t> start) {
    const auto waits_at = [&](std::size_t index) {
        return std::ranges::any_of(changes, [&](const LockChange &one) {
            return one.index == index && one.waits && one.sure && one.is_same(leaves);
        });
    };
    const auto has_set = [&](std::size_t index, std::size_t next) {
        const bool is_taken = code.at(next).address != code.at(index).end();
        return std::ranges::any_of(changes, [&](const LockChange &one) {
            return one.success && one.success->branch == index &&
                   one.success->is_taken == is_taken && one.sure && one.is_same(leaves);
        });
    };
    std::vector<bool> seen(code.instructions().size(), false);
    while (!start.empty() && !code.jumps_anywhere()) {
        const std::size_t index = start.back();
        start.pop_back();
        if (index == leaves.index) {
            return true;
        }
        if (!seen[index] && !waits_at(index)) {
            std::ranges::copy_if(code.successors(index), std::back_inserter(start),
                                 [&](std::size_t next) { return !has_set(index, next); });
        }
        seen[index] = true;
    }
    return code.jumps_anywhere();
}

// Code that no way leads to handles exceptions, from anywhere in the function.
LockFlow::LockFlow(const code::FunctionCode &code, const LockChanges &changes,
                   const std::function<Behind(std::size_t)> &behind)
    : code_(code), changes_(changes), behind_(behind), known_{{0, {}}} {
    follow(0);
    usual_ = usual();
    Inside thrown;
    for (std::size_t place = 0; place < changes.size(); ++place) {
        if (changes[place].enters) {
            thrown.perhaps.insert(place);
        }
    }
    for (std::size_t index = 0; index < code.instructions().size(); ++index) {
        const bool is_padding = code.at(index).operation == code::Operation::nothing;
        if (!is_padding && !usual_[index] && known_.try_emplace(index, thrown).second) {
            follow(index);
        }
    }
}

// What a way leads to from the function's start, calls that nobody has made yet among it.
std::vector<bool> LockFlow::usual() const {
    std::vector<bool> found(code_.instructions().size());
    for (std::vector<std::size_t> left{0}; !left.empty();) {
        const std::size_t index = left.back();
        left.pop_back();
        if (!found[index]) {
            found[index] = true;
            const auto next = behind_(index) == Behind::throws ? std::vector<std::size_t>()
                                                               : code_.successors(index);
            left.insert(left.end(), next.begin(), next.end());
        }
    }
    return found;
}

void LockFlow::follow(std::size_t start) {
    std::vector<std::size_t> left{start};
    while (!left.empty()) {
        const std::size_t index = left.back();
        left.pop_back();
        const Behind flow = behind_(index);
        if (flow == Behind::throws || flow == Behind::unmade) {
            continue;
        }
        const Inside behind = after(index);
        for (const std::size_t next : code_.successors(index)) {
            const bool is_next = code_.at(next).address == code_.at(index).end();
            if ((flow == Behind::always && is_next) || (flow == Behind::never && !is_next)) {
                continue;
            }
            const Inside there = on_way(behind, index, !is_next);
            const auto [place, is_new] = known_.try_emplace(next, there);
            const Inside both = is_new ? there : joined(place->second, there);
            if (is_new || both != place->second) {
                place->second = both;
                left.push_back(next);
            }
        }
    }
}

Inside LockFlow::on_way(Inside behind, std::size_t branch, bool is_taken) const {
    for (std::size_t place = 0; place < changes_.size(); ++place) {
        const LockChange &one = changes_[place];
        if (one.enters_there && one.success->branch == branch &&
            one.success->is_taken == is_taken) {
            change(behind, one, place);
        }
    }
    return behind;
}

bool LockFlow::is_balanced(const LockChange &leaves) const {
    const Inside inside = before(leaves.index);
    return std::ranges::any_of(inside.surely, [&](std::size_t place) {
        const LockChange &entered = changes_[place];
        return entered.kind == leaves.kind && entered.object == leaves.object;
    });
}

std::size_t LockFlow::first_of(std::size_t place) const {
    const auto first = std::ranges::find_if(changes_, [&](const LockChange &one) {
        return one.enters && one.is_same(changes_[place]);
    });
    return first == changes_.end() ? place : static_cast<std::size_t>(first - changes_.begin());
}

Inside LockFlow::before(std::size_t index) const {
    const auto found = known_.find(index);
    Inside inside = found == known_.end() ? Inside() : found->second;
    if (code_.jumps_anywhere()) {
        inside.surely.clear();
    }
    return inside;
}

Inside LockFlow::after(std::size_t index) const {
    Inside inside = before(index);
    const auto first = std::ranges::lower_bound(changes_, index, {}, &LockChange::index);
    for (auto by = first; by != changes_.end() && by->index == index; ++by) {
        if (!by->enters_there) {
            change(inside, *by, static_cast<std::size_t>(by - changes_.begin()));
        }
    }
    return inside;
}

// What lets go a lock that is not known closes all where that is to be sure. What may let go any
// closes those alone that nothing else here does.
void LockFlow::change(Inside &inside, const LockChange &by, std::size_t place) const {
    if (by.enters) {
        inside.perhaps.insert(place);
        if (by.sure) {
            inside.surely.insert(first_of(place));
        }
        return;
    }
    std::erase_if(inside.surely, [&](std::size_t one) {
        const LockChange &entered = changes_[one];
        return by.kind == code::WaitKind::none ? !entered.is_left : entered.may_be(by);
    });
    std::erase_if(inside.perhaps, [&](std::size_t one) {
        const LockChange &entered = changes_[one];
        return entered.may_be(by) && (entered.object == by.object || !by.object) && by.sure;
    });
}

}  // namespace gdb_ompd
