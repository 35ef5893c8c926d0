// SPDX-License-Identifier: Apache-2.0
// The runtime's records of threads, teams and tasks, read anew by each function and doubted.
#pragma once

#include "layout.hpp"

namespace libgompd {

// What a thread is in: its number in a team, and the levels there. TEAM is 0 where the
// thread is in no region.
struct Place {
    std::uint64_t team = 0;
    std::uint32_t thread_num = 0, level = 0, active_level = 0;
    bool is_own = true;  // the thread's, and not of one that began a region around it

    [[nodiscard]] bool in_region() const { return team != 0 && level != 0; }
};

struct Thread {
    std::uint64_t address = 0;
    Place place;
    std::uint64_t task = 0;
    std::uint64_t pool = 0;

    // The runtime has never had to do with it.
    [[nodiscard]] bool is_blank() const {
        return place.team == 0 && place.level == 0 && task == 0 && pool == 0;
    }
};

struct Team {
    std::uint64_t address = 0;
    std::uint32_t size = 0;
    Place outer;  // of the primary thread, before it began the region
    std::uint64_t members = 0;
};

enum class TaskKind : std::uint32_t { implicit, undeferred, waiting, tied, asynchronous, detached };

struct Task {
    std::uint64_t address = 0;
    std::uint64_t parent = 0;  // 0 when that has ended
    std::uint64_t taskgroup = 0;
    std::uint64_t function = 0;
    TaskKind kind = TaskKind::implicit;
    bool final_task = false;
};

// Bounds of what damaged memory may say.
constexpr std::uint32_t max_team_size = 1U << 16;
constexpr std::uint32_t max_levels = 1024;
constexpr int max_tasks = 100'000;

// Reads what LAYOUT tells. Throws Refused.
class Records {
public:
    Records(const Target &target, const Layout &layout) : target_(target), layout_(layout) {}

    // The address of a thread's record. THREAD_POINTER is not believed.
    [[nodiscard]] std::uint64_t record_of(std::uint64_t thread_pointer) const;
    // The same the other way round.
    [[nodiscard]] std::uint64_t thread_pointer_of(std::uint64_t record) const;
    [[nodiscard]] Thread thread(std::uint64_t record) const;
    // Whether the thread executes a task: a worker keeps what it was in when that has ended.
    [[nodiscard]] bool is_busy(const Thread &thread) const;
    // What the C library's id of a thread leads to, by its thread pointer, and the other way
    // round. Throws Refused: unsupported where the library's code was not understood.
    [[nodiscard]] std::uint64_t pthread_of(std::uint64_t thread_pointer) const;
    [[nodiscard]] std::uint64_t thread_pointer_by_pthread(std::uint64_t pthread) const;
    // Whether it is the one in which the program began.
    [[nodiscard]] bool is_main(std::uint64_t record) const;

    [[nodiscard]] Team team(std::uint64_t address) const;
    // The place in TEAM of a thread that is busy, or of the one that began the regions of its own
    // inside of it. None if it is not in it.
    [[nodiscard]] std::optional<Place> place_in(const Thread &thread, std::uint64_t team) const;
    // The record of the team's thread of that number, 0 if it is not known. INSIDE is a
    // thread that is in the team.
    [[nodiscard]] std::uint64_t member(const Team &team, std::uint32_t number,
                                       const Thread &inside) const;

    [[nodiscard]] Task task(std::uint64_t address) const;
    [[nodiscard]] std::uint64_t implicit_task(const Team &team, std::uint32_t number) const;
    // Whose implicit task it is; none for an explicit one.
    [[nodiscard]] std::optional<std::uint32_t> number_of(const Team &team,
                                                         std::uint64_t task) const;

    [[nodiscard]] const Layout &layout() const { return layout_; }
    [[nodiscard]] const Target &target() const { return target_; }

private:
    [[nodiscard]] bool is_thread(std::uint64_t thread_pointer) const;
    [[nodiscard]] bool has_vector(std::uint64_t thread_pointer) const;
    [[nodiscard]] bool is_member(std::uint64_t record, std::uint64_t team,
                                 std::uint32_t number) const;
    // The record of the pool's first thread, who begins its regions; 0 if there is none.
    [[nodiscard]] std::uint64_t first_of_pool(const Thread &worker) const;
    [[nodiscard]] bool is_in_outermost(const Thread &worker) const;
    [[nodiscard]] std::uint64_t listed(const Team &team, std::uint32_t number) const;
    [[nodiscard]] std::optional<std::uint64_t> beginner(const Team &team,
                                                        const Thread &inside) const;

    const Target &target_;
    const Layout &layout_;
};

}  // namespace libgompd
