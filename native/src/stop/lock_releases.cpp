// SPDX-License-Identifier: Apache-2.0
#include "stop/lock_releases.hpp"

#include "stop/thread_state.hpp"

#include "code/given_functions.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <utility>

namespace gdb_ompd {

using code::FunctionCode;
using code::LockEffect;
using code::WaitKind;

namespace {

constexpr std::size_t most_searched = 32;  // that are looked for in all of a file's code
// What takes a sigevent: the function in it is called back by a thread of the C library's.
constexpr auto notifying =
    std::to_array<std::string_view>({"timer_create", "mq_notify", "aio_read", "aio_write",
                                     "aio_fsync", "lio_listio", "getaddrinfo_a"});

bool may_be(const LockChange &change, const LockObject &lock) {
    const bool is_other = change.stable && change.object && *change.object != lock.address;
    return change.kind == lock.kind && !is_other;
}

}  // namespace

std::vector<std::uint64_t> LockReleases::ahead(std::span<const code::Frame> frames,
                                               std::span<const LockObject> locks) {
    LockChanges changes;
    for (const UserPlace &place : user_places(calls_, frames)) {
        note(changes, place);
    }
    std::vector<std::uint64_t> found;
    for (const LockObject &lock : locks) {
        if (std::ranges::any_of(changes, [&](const auto &one) { return may_be(one, lock); })) {
            found.push_back(lock.address);
        }
    }
    return found;
}

void LockReleases::note(LockChanges &found, const UserPlace &place) {
    const LockChanges changes = lock_calls_.changes(*place.code, *place.frame, place.here);
    if (std::ranges::all_of(changes, &LockChange::enters)) {
        return;
    }
    const auto start = place.has_called ? place.code->successors(place.here)
                                        : std::vector<std::size_t>{place.here};
    const LockChanges ahead = not_set(*place.code, changes, start);
    found.insert(found.end(), ahead.begin(), ahead.end());
}

LockChanges LockReleases::not_set(const FunctionCode &code, const LockChanges &changes,
                                  const std::vector<std::size_t> &start) const {
    const std::function<Behind(std::size_t)> behind = [&](std::size_t index) {
        return lock_calls_.behind(code, index);
    };
    const LockFlow flow(code, changes, behind);
    LockChanges found;
    std::ranges::copy_if(changes, std::back_inserter(found), [&](const LockChange &one) {
        return !one.enters && one.kind != WaitKind::none && !flow.is_balanced(one) &&
               leaves_first(code, changes, one, start);
    });
    return found;
}

bool LockReleases::lets_go(std::uint64_t function, const LockObject &lock) {
    const FunctionCode *const code = calls_.functions().function_at_start(function);
    if (code == nullptr) {
        return false;
    }
    const LockChanges found = not_set(*code, lock_calls_.changes(*code), {0});
    return std::ranges::any_of(found, [&](const auto &one) { return may_be(one, lock); });
}

std::vector<std::uint64_t> LockReleases::callers(WaitKind kind) {
    std::vector<std::uint64_t> found;
    for (const auto &module : calls_.functions().modules()) {
        for (const auto &[place, name] : calls_.names().in(*module)) {
            const code::EntryPoint *const entry = lock_call(name);
            if (entry != nullptr && entry->kind == kind && entry->lock == LockEffect::leaves) {
                const auto those = code::callers_through(calls_.functions(), *module, place);
                found.insert(found.end(), those.begin(), those.end());
            }
        }
    }
    return found;
}

Releases LockReleases::of(std::span<const Awaiting> threads, const FramesOf &frames) {
    std::set<LockObject> awaited;
    for (const Awaiting &thread : threads) {
        const bool is_lock = thread.kind == WaitKind::lock || thread.kind == WaitKind::nest_lock ||
                             thread.kind == WaitKind::mutex || thread.kind == WaitKind::rwlock ||
                             thread.kind == WaitKind::spin_lock;
        if (is_lock && thread.object) {
            awaited.insert({thread.kind, *thread.object});
        }
    }
    if (awaited.empty()) {
        return {};
    }
    const std::vector<LockObject> locks(awaited.begin(), awaited.end());
    Releases found;
    for (const Awaiting &thread : threads) {
        if (is_in_pool(thread.kind)) {
            continue;
        }
        if (auto own = ahead(frames(thread.gdb_num), locks); !own.empty()) {
            found.ahead.emplace(thread.gdb_num, std::move(own));
        }
    }
    found.called_back = called_back(locks);
    return found;
}

std::vector<CalledBack> LockReleases::called_back(std::span<const LockObject> locks) {
    std::vector<CalledBack> found;
    for (const LockObject &lock : locks) {
        for (const std::uint64_t function : called_back(lock)) {
            found.push_back({lock.address, function});
        }
    }
    return found;
}

std::vector<std::uint64_t> LockReleases::called_back(const LockObject &lock) {
    std::vector<std::uint64_t> left = callers(lock.kind);
    std::set<std::uint64_t> known;
    std::vector<std::uint64_t> found;
    while (!left.empty() && known.size() < most_searched) {
        const std::uint64_t function = left.back();
        left.pop_back();
        if (!known.insert(function).second || !lets_go(function, lock)) {
            continue;
        }
        const auto uses = code::uses_of(calls_.functions(), function);
        bool is_given = uses.empty() && may_be_notified(function);
        for (const code::FunctionUse &use : uses) {
            is_given = is_given || (use.gives && is_for_calling_back(use.start, function));
            left.push_back(use.start);
        }
        if (is_given) {
            found.push_back(function);
        }
    }
    return found;
}

// A sigevent that is a constant has the function's address in data. Tables of operations have those
// of others there: a file that notifies of nothing has no such constant.
bool LockReleases::may_be_notified(std::uint64_t function) {
    const Module *const module = calls_.functions().module_at(function);
    return module != nullptr &&
           std::ranges::any_of(calls_.names().in(*module), [](const auto &one) {
               return std::ranges::find(notifying, one.second) != notifying.end();
           });
}

// A function that nobody in its file uses is known by data, or to other files.
bool LockReleases::may_be_called_back(const LockObject &lock) {
    std::vector<std::uint64_t> left = callers(lock.kind);
    std::set<std::uint64_t> known;
    while (!left.empty()) {
        const std::uint64_t function = left.back();
        left.pop_back();
        const auto around = calls_.functions().around(function);
        const bool is_start = around && around->is_entry;
        if (is_start || !known.insert(function).second || !lets_go(function, lock)) {
            continue;
        }
        const auto uses = code::uses_of(calls_.functions(), function);
        if (uses.empty() || known.size() > most_searched) {
            return true;
        }
        for (const code::FunctionUse &use : uses) {
            if (use.gives && is_for_calling_back(use.start, function)) {
                return true;
            }
            left.push_back(use.start);
        }
    }
    return false;
}

bool LockReleases::is_for_calling_back(std::uint64_t giver, std::uint64_t function) {
    const auto around = calls_.functions().around(giver);
    const FunctionCode *const code = calls_.functions().function_at_start(giver);
    if (code == nullptr || (around && around->is_entry)) {
        return false;
    }
    const Module *const module = calls_.functions().module_at(giver);
    code::Evaluation values = lock_calls_.values_of(*code);
    bool takes = false;
    for (std::size_t index = 0; index < code->instructions().size(); ++index) {
        const FunctionCode *const given = lock_calls_.given(*code, values, index);
        if (given != nullptr && given->start() == function) {
            return false;
        }
        takes =
            takes || (module != nullptr && code::takes_address(*module, *code, index, function) &&
                      !gives_next(*code, index));
    }
    return takes;
}

// Compilers make one call of several that differ in what they give alone.
bool LockReleases::gives_next(const FunctionCode &code, std::size_t index) {
    std::vector<std::size_t> left = code.successors(index);
    std::set<std::size_t> known;
    bool gives = false;
    while (!left.empty()) {
        const std::size_t next = left.back();
        left.pop_back();
        if (!known.insert(next).second) {
            continue;
        }
        const auto behind = code.successors(next);
        if (code.at(next).is_call() || behind.empty()) {
            gives = lock_calls_.gives(code.at(next));
            if (!gives) {
                return false;
            }
            continue;
        }
        left.insert(left.end(), behind.begin(), behind.end());
    }
    return gives;
}

}  // namespace gdb_ompd
