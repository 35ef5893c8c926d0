// SPDX-License-Identifier: Apache-2.0
#include "runtimes/llvm/event_regions.hpp"

#include "base/target.hpp"
#include "elf/address_space.hpp"

#include <algorithm>
#include <set>
#include <string_view>

namespace gdb_ompd::llvm {

namespace {

// The runtime's own functions need less between two of the user's.
constexpr std::uint64_t max_stack = 1U << 16U;
// Begins a region whose "if" clause was false.
constexpr std::string_view serialized_entry = "__kmpc_serialized_parallel";

// Where teams can be, as the announcer has them at hand.
std::set<std::uint64_t> candidates(const Memory &memory, const Announcer &announcer,
                                   std::uint64_t team_in_pointer) {
    std::vector<std::uint64_t> words = announcer.registers;
    const std::uint64_t size = announcer.stack_end - announcer.stack_begin;
    if (announcer.stack_end > announcer.stack_begin && size <= max_stack) {
        const auto on_stack = addresses_in(memory, TargetAddr{announcer.stack_begin}, size);
        words.insert(words.end(), on_stack.begin(), on_stack.end());
    }
    std::set<std::uint64_t> found;
    for (const std::uint64_t each : words) {
        found.insert(each + team_in_pointer);
    }
    return found;
}

// The team at ADDRESS if the thread NUMBER of the team AROUND begins it, null otherwise. Its
// members are not there yet, or are those of a team that had the record before. One of a
// single thread is kept for serialized regions, at whose begin the runtime has made the
// thread its member already.
const Team *begun_at(Teams &teams, TargetAddr address, TargetAddr around, int number) {
    const Memory &memory = teams.memory();
    const auto &places = teams.places().team;
    try {
        if (address.value % pointer_size == 0 && memory.pointer(address, places.parent) == around &&
            memory.signed_field(address, places.master_tid) == number &&
            memory.field(address, places.size) > 1) {
            return &teams.team(address);
        }
    } catch (const Inconsistent &) {
        return nullptr;  // there is no team there
    }
    return nullptr;
}

// The team that the announcer holds and THREAD will be the primary of, null where that is
// not one alone.
const Team *begun_by(Teams &teams, const OmpThread &thread, const Announcer &announcer) {
    const Memory &memory = teams.memory();
    const TargetAddr around = memory.pointer(thread.address, teams.places().thread.team);
    const std::uint64_t inner = teams.places().team_in_pointer;
    std::vector<const Team *> found;
    for (const std::uint64_t address : candidates(memory, announcer, inner)) {
        const Team *const team =
            address == around.value + inner
                ? nullptr
                : begun_at(teams, TargetAddr{address}, around, thread.thread_num);
        if (team != nullptr) {
            found.push_back(team);
        }
    }
    if (found.size() > 1) {  // records that were teams of this thread before
        std::erase_if(found, [&](const Team *team) {
            return std::ranges::find(announcer.pcs, team->caller.value) == announcer.pcs.end();
        });
    }
    return found.size() == 1 ? found.front() : nullptr;
}

// The runtime keeps only what it gave. That was what was asked for unless one of the limits
// was met (__kmp_reserve_threads): dyn-var, thread-limit-var or, of a serialized region,
// max-active-levels-var.
std::optional<int> requested_threads(const Teams &teams, const Layout &layout, const Team &team,
                                     TargetAddr task, std::string_view entry) {
    if (entry == serialized_entry) {
        return 1;
    }
    const TargetAddr icvs = task + layout.access("kmp_taskdata_t", "td_icvs");
    const auto icv = [&](const char *name) {
        return teams.memory().field(icvs, layout.field("kmp_internal_control_t", name));
    };
    if (icv("dynamic") != 0) {
        return std::nullopt;
    }
    const bool is_less =
        team.size == 1 ? static_cast<std::uint64_t>(team.active_level) < icv("max_active_levels")
                       : static_cast<std::uint64_t>(team.size) < icv("thread_limit");
    return is_less ? std::optional(team.size) : std::nullopt;
}

}  // namespace

std::vector<std::uint64_t> addresses_in(const Memory &memory, TargetAddr begin, std::size_t size) {
    std::vector<std::byte> bytes(size);
    memory.read(begin, bytes);
    std::vector<std::uint64_t> found;
    for (std::size_t at = 0; at + pointer_size <= size; at += pointer_size) {
        const std::uint64_t value =
            memory.space().to_uint(std::span(bytes).subspan(at, pointer_size));
        if (could_be_address(TargetAddr{value})) {
            found.push_back(value);
        }
    }
    return found;
}

std::optional<EventRegion> event_region(Teams &teams, const Layout &layout, const OmpThread &thread,
                                        const Announcement &said) {
    const Team *const now = teams.team_of(thread.address);
    const Team *const begun =
        said.begins && said.announcer ? begun_by(teams, thread, *said.announcer) : nullptr;
    const Team *const team = begun != nullptr ? begun : now;
    if (team == nullptr) {
        return std::nullopt;
    }
    EventRegion region{thread.address, team->address, team->size, team->level, {}, {}};
    if (said.begins) {
        region.requested = requested_threads(teams, layout, *team, thread.task, said.entry);
    }
    // Of a serialized region that ends the runtime keeps the function of the last one that it
    // began, which may be one inside.
    if (said.begins || team->size > 1) {
        region.function = team->function;
    }
    return region;
}

}  // namespace gdb_ompd::llvm
