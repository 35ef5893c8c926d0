// SPDX-License-Identifier: Apache-2.0
#include "runtimes/llvm/alone.hpp"

#include "elf/address_space.hpp"
#include "runtimes/llvm/helpers.hpp"
#include "runtimes/llvm/symbols.hpp"
#include "runtimes/llvm/thread_records.hpp"
#include "runtimes/thread_pointer.hpp"

namespace gdb_ompd::llvm {

namespace {

// While a condition is evaluated the other threads run: a team's primary thread may just be
// taking up or leaving a region of its own. It is read again then.
constexpr int attempts = 5;

std::optional<ThreadAlone> read_now(AddressSpace &space, const Places &places,
                                    const NativeThread &thread, Boundary boundary) {
    space.cache().clear();
    const TargetAddr array = threads_array(space);
    if (array.value == 0) {
        return std::nullopt;
    }
    const auto pointer = thread_pointer(space, thread);
    if (!pointer) {
        throw Inconsistent("the thread's own storage cannot be found");
    }
    const auto record = thread_record(Memory(space), places, array, *pointer);
    if (!record) {
        return std::nullopt;
    }
    if (record->is_of_another_than(thread.pthread_id)) {
        throw Inconsistent(another_threads);
    }
    ThreadAlone found{std::make_unique<Teams>(space, places, array, boundary), {}};
    found.thread = found.teams->thread_of(*record);
    const TaskChains chains(*found.teams);
    if (Helpers(chains).is_outside(found.thread)) {
        found.thread.team = nullptr;
    }
    return found;
}

}  // namespace

TargetAddr threads_array(AddressSpace &space) {
    return Memory(space).pointer(require_symbol(space, "__kmp_threads"));
}

std::optional<ThreadAlone> thread_alone(AddressSpace &space, const Places &places,
                                        const NativeThread &thread, Boundary boundary) {
    std::optional<ThreadAlone> found;
    for (int attempt = 1;; ++attempt) {
        try {
            found = read_now(space, places, thread, boundary);
            if (!found || found->thread.team != nullptr || attempt == attempts) {
                return found;
            }
        } catch (const Inconsistent &) {
            if (attempt == attempts) {
                throw;
            }
        }
    }
}

std::optional<Place> place_of(const std::optional<ThreadAlone> &thread) {
    if (!thread || thread->thread.team == nullptr) {
        return std::nullopt;
    }
    const Team &team = *thread->thread.team;
    const auto league = team_of_league(team, thread->thread.thread_num).value_or(TeamOfLeague{});
    return Place{thread->thread.thread_num, team.size,       team.level,
                 team.active_level,         league.team_num, league.num_teams};
}

}  // namespace gdb_ompd::llvm
