// SPDX-License-Identifier: Apache-2.0
#include "runtimes/llvm/walk.hpp"

#include "elf/address_space.hpp"
#include "runtimes/llvm/alone.hpp"
#include "runtimes/llvm/thread_records.hpp"
#include "runtimes/llvm/walk_tasks.hpp"
#include "runtimes/thread_pointer.hpp"

#include <unordered_set>

namespace gdb_ompd::llvm {

namespace {

// More would cost time, and prove nothing more.
constexpr std::size_t max_walked = 256;
constexpr std::size_t max_depth = 64;
// ompt_state_t (omp-tools.h) ends at 0x102; later ones have room.
constexpr std::uint64_t state_end = 0x200;

struct Levels {
    std::int64_t all, active;
};

class Walker {
public:
    Walker(AddressSpace &space, const Layout &layout) : records_(space, layout) {}

    void find(std::span<const NativeThread> natives) {
        const TargetAddr table = threads_array(records_.memory.space());
        for (const NativeThread &native : natives.first(std::min(natives.size(), max_walked))) {
            if (table.value != 0) {
                facts_.attempt("the record of " + name_of(native.gdb_num),
                               [&] { find(table, native); });
            }
        }
    }

    void take(std::span<const WalkedThread> threads) {
        threads_.assign(threads.begin(), threads.end());
    }

    Walk run() {
        for (const WalkedThread &thread : threads_) {
            const std::string name = name_of(thread.gdb_num);
            facts_.attempt(name, [&] { look_at_itself(thread); });
            facts_.attempt(name, [&] { look_at_primary(thread.record); });
        }
        for (const WalkedThread &thread : threads_) {
            facts_.attempt(name_of(thread.gdb_num), [&] { look_at_worker(thread.record); });
        }
        return {facts_.walk().violations, members_ > 0 ? facts_.walk().checked : 0};
    }

private:
    // Threads

    static std::string name_of(int gdb_num) { return "thread " + std::to_string(gdb_num); }

    // Keeps where a thread's record is, if it has one (yet).
    void find(TargetAddr table, const NativeThread &native) {
        const auto number = number_of(native);
        const TargetAddr info =
            number ? records_.memory.pointer(table + 8 * *number) : TargetAddr{};
        if (info.value != 0) {
            threads_.push_back({native.gdb_num, *number, info + records_.places.thread_in_info,
                                native.pthread_id});
        }
    }

    [[nodiscard]] std::optional<std::uint64_t> number_of(const NativeThread &native) const {
        if (native.running) {
            return std::nullopt;
        }
        try {
            const auto pointer = thread_pointer(records_.memory.space(), native);
            return pointer ? global_number(records_.memory, *pointer) : std::nullopt;
        } catch (const Inconsistent &) {
            return std::nullopt;
        }
    }

    // What a thread's record says of it alone, and the team it was last in.
    void look_at_itself(const WalkedThread &thread) {
        const auto field = [&](FieldPlace place) {
            return records_.memory.field(thread.record, place);
        };
        const auto &places = records_.places.thread;
        facts_.expect(field(places.gtid) == thread.number, "a thread's record has another number");
        const std::uint64_t pthread_id = field(places.pthread_id);
        facts_.expect(!thread.pthread_id || pthread_id == 0 || pthread_id == *thread.pthread_id,
                      "a thread's record is another thread's");
        const TargetAddr info =
            thread.record + records_.layout.access("kmp_base_info_t", "ompt_thread_info");
        facts_.expect(records_.field(info, "ompt_thread_info_t", "state") < state_end,
                      "a thread's state is none");
        facts_.expect(could_be_pointer(records_.field(info, "ompt_thread_info_t", "wait_id")),
                      "a thread waits for what is no address");
        const TargetAddr team = team_of(thread.record);
        if (team.value != 0) {
            const auto [all, active] = levels(team);
            facts_.expect(size(team) <= max_walked_team, "a team has no sensible size");
            facts_.expect(0 <= all && all <= max_nesting && 0 <= active && active <= max_nesting,
                          "a team is at no sensible level");
        }
    }

    // The teams and tasks of a thread that is its team's first.
    void look_at_primary(TargetAddr thread) {
        const TargetAddr team = team_of(thread);
        if (team.value == 0 || thread_num(thread) != 0 || member(team, 0) != thread) {
            return;
        }
        ++members_;
        const TargetAddr task = current_task(thread);
        nest(team, thread, task.value != 0 && tasks_.team_of(task) == team);
        tasks_.chain(task);
    }

    // The task of another thread of a team that has its primary thread.
    void look_at_worker(TargetAddr thread) {
        const TargetAddr team = team_of(thread);
        const std::uint64_t number = thread_num(thread);
        if (!teams_.contains(team.value) || number == 0 || number >= size(team) ||
            member(team, number) != thread) {
            return;
        }
        ++members_;
        const TargetAddr task = current_task(thread);
        if (task == tasks_.implicit_of(team, number) ||
            (task.value != 0 && tasks_.team_of(task) == team && tasks_.is_explicit(task))) {
            tasks_.chain(task);
        }
    }

    // Teams

    // A team and those around it, to the initial thread's. IS_EXECUTING tells that the primary
    // thread's task is the innermost team's: not before it has put down who began the team, nor
    // once it takes it apart.
    void nest(TargetAddr team, TargetAddr primary, bool is_executing) {
        std::unordered_set<std::uint64_t> met;
        bool is_innermost = true;
        while (team.value != 0 && met.size() < max_depth) {
            if (!facts_.expect(met.insert(team.value).second, "a team is its own ancestor")) {
                return;
            }
            teams_.insert(team.value);
            const std::uint64_t count = size(team);
            facts_.expect(0 < count && count <= max_walked_team, "a team has no sensible size");
            const TargetAddr parent =
                records_.team_behind(records_.memory.pointer(team, records_.places.team.parent));
            if (parent.value != 0) {
                look_at_nested(team, parent, primary, count, is_innermost, is_executing);
            } else if (is_executing || !is_innermost) {
                const auto [all, active] = levels(team);
                facts_.expect(count == 1 && all == 0 && active == 0,
                              "a team without a parent is no initial thread's");
            }
            tasks_.kept_aside(team);
            team = parent;
            is_innermost = false;
        }
    }

    void look_at_nested(TargetAddr team, TargetAddr parent, TargetAddr primary, std::uint64_t count,
                        bool is_innermost, bool is_executing) {
        if (count > 1 || !is_innermost) {
            within(team, parent);
        }
        if (!is_innermost || (is_executing && is_outermost(team, count))) {
            begun_by(team, parent);
        }
        if (is_innermost) {
            holds(parent, primary);
        }
    }

    void within(TargetAddr team, TargetAddr parent) {
        const auto [all, active] = levels(team);
        const auto [outer, outer_active] = levels(parent);
        facts_.expect(0 <= all - outer && all - outer <= max_nesting,
                      "a team's level is not its parent's");
        facts_.expect(0 <= active - outer_active && active - outer_active <= 1,
                      "a team's active level is not so");
        facts_.expect(active <= all, "a team has more active levels than levels");
        const std::uint64_t function = records_.memory.field(team, records_.places.team.function);
        facts_.expect(could_be_pointer(function), "a team's function is no address");
    }

    void begun_by(TargetAddr team, TargetAddr parent) {
        const std::uint64_t number = records_.memory.field(team, records_.places.team.master_tid);
        if (facts_.expect(number < size(parent), "a team's primary is not its parent's")) {
            facts_.expect(member(parent, number) == member(team, 0),
                          "a team was begun by another thread than its primary");
        }
    }

    void holds(TargetAddr team, TargetAddr thread) {
        const std::uint64_t count = std::min(size(team), max_walked_team);
        bool is_found = false;
        for (std::uint64_t number = 0; number < count && !is_found; ++number) {
            is_found = member(team, number) == thread;
        }
        facts_.expect(is_found, "a team was begun by none of its parent's threads");
    }

    // Whether who began a team is known as soon as its primary is in it. The runtime keeps a
    // root's first active team for the next region, and may keep inner ones, whose primary is
    // another number each time.
    [[nodiscard]] bool is_outermost(TargetAddr team, std::uint64_t count) const {
        return count == 1 || levels(team).active == 1;
    }

    // Fields

    [[nodiscard]] TargetAddr team_of(TargetAddr thread) const {
        return records_.team_behind(records_.memory.pointer(thread, records_.places.thread.team));
    }
    [[nodiscard]] std::uint64_t thread_num(TargetAddr thread) const {
        return records_.memory.field(thread, records_.places.thread.thread_num);
    }
    [[nodiscard]] TargetAddr current_task(TargetAddr thread) const {
        return records_.memory.pointer(thread, records_.places.thread.task);
    }
    [[nodiscard]] std::uint64_t size(TargetAddr team) const {
        return records_.memory.field(team, records_.places.team.size);
    }
    [[nodiscard]] Levels levels(TargetAddr team) const {
        return {records_.number(team, "kmp_base_team_t", "t_level"),
                records_.number(team, "kmp_base_team_t", "t_active_level")};
    }
    // A team's thread; 0 if it has none there.
    [[nodiscard]] TargetAddr member(TargetAddr team, std::uint64_t thread_num) const {
        const TargetAddr list = records_.memory.pointer(team, records_.places.team.threads);
        const TargetAddr info = records_.memory.pointer(list + 8 * thread_num);
        return info.value == 0 ? info : info + records_.places.thread_in_info;
    }

    WalkedRecords records_;
    WalkFacts facts_;
    TaskWalk tasks_{records_, facts_};
    std::vector<WalkedThread> threads_;
    int members_ = 0;                          // threads that were seen in their team
    std::unordered_set<std::uint64_t> teams_;  // those that a primary thread is in
};

}  // namespace

Walk walk_records(AddressSpace &space, const Layout &layout,
                  std::span<const NativeThread> threads) {
    Walker walker(space, layout);
    walker.find(threads);
    return walker.run();
}

Walk walk_threads(AddressSpace &space, const Layout &layout,
                  std::span<const WalkedThread> threads) {
    Walker walker(space, layout);
    walker.take(threads);
    return walker.run();
}

}  // namespace gdb_ompd::llvm
