// SPDX-License-Identifier: Apache-2.0
// One stop of a program: what is true of its threads, regions, tasks and waits, of all its
// runtimes.
//
// Each thing is read when it is first asked for, and once. What is asked of threads by GDB numbers
// needs no runtime that can be read: stacks tell much.
#pragma once

#include "stop/loops.hpp"
#include "stop/region_members.hpp"
#include "stop/regions_and_tasks.hpp"
#include "stop/team_sizes.hpp"
#include "stop/team_targets.hpp"
#include "stop/thread_facts.hpp"

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace gdb_ompd {

// What only the debugger knows of a stop.
class StopHost {
public:
    // EARLY: the runtime is starting yet, in the call that begins the first region.
    enum class Outcome : std::uint8_t { read, early, failed };

    virtual ~StopHost() = default;

    // Adds each one that can be read to RUNTIMES.
    [[nodiscard]] virtual Outcome add_runtimes(const std::shared_ptr<AllRuntimes> &runtimes) = 0;
    // Throws why none could be read.
    [[noreturn]] virtual void fail() = 0;
    [[nodiscard]] virtual Stacks &stacks() = 0;
    // The code of the files that could be read, none where all runtimes could.
    [[nodiscard]] virtual std::optional<std::vector<HangReader::Range>> readable_code() = 0;
    // Whether the process began by fork() and has executed no program since.
    [[nodiscard]] virtual std::optional<bool> is_forked() = 0;
    // Whether no other process can use the memory at an address.
    [[nodiscard]] virtual bool is_own_memory(std::uint64_t address) = 0;
};

// A thread with the target construct that it is in.
struct ThreadInTarget {
    KnownThread thread;
    std::optional<TargetConstruct> target{};
    // It executes the construct on the host, as the initial thread of a team of its own there: its
    // records need not tell, and THREAD is put right. It is a worker as far as the runtimes' lists
    // of their teams tell.
    bool is_initial = false;
    std::optional<Listed> listed{};  // once that was asked for, of one that has a stack to show
};

class Stop : public StopTeams {
public:
    using Position = AllRuntimes::Position;
    using Threads = std::vector<ThreadInTarget>;

    // PROCESS is the kernel's number. HOST outlives it.
    Stop(std::vector<NativeThread> natives, std::uint64_t process, StopHost &host);
    Stop(const Stop &) = delete;  // what it is made of leads back to it
    Stop &operator=(const Stop &) = delete;
    ~Stop() override = default;

    [[nodiscard]] const std::vector<NativeThread> &natives() const { return all_->natives(); }
    [[nodiscard]] Stacks &stacks() { return host_.stacks(); }
    // What the runtimes say. Throws what keeps all of them from being read.
    [[nodiscard]] AllRuntimes &all_runtimes();
    // The same, null where none can be read.
    [[nodiscard]] AllRuntimes *known();
    // The regions and tasks of the runtimes.
    [[nodiscard]] RegionsAndTasks &constructs();

    // In the order of natives().
    [[nodiscard]] const std::vector<KnownThread> &every_thread();
    // The same, each with its target construct.
    [[nodiscard]] Threads in_targets();
    // With where they are and what they do outside of the user's code, too.
    [[nodiscard]] Threads listed();
    // The task chains of threads, innermost task first.
    [[nodiscard]] std::vector<PlacedTask> tasks(const std::vector<int> &gdb_nums);
    // Those of a region that lack in the runtimes' records; none of one that lacks none.
    [[nodiscard]] std::optional<Members> members(const KnownRegion &region);
    [[nodiscard]] StopWaits::Waits waits(const std::vector<int> &gdb_nums);
    [[nodiscard]] WaitRef wait(int gdb_num) { return stop_waits().place(gdb_num, *this).wait; }
    // What a verdict on a hang is concluded from, of all THREADS.
    [[nodiscard]] GatheredFacts facts(const Threads &threads);
    [[nodiscard]] std::optional<ThreadLoop> loop(int gdb_num);
    [[nodiscard]] std::vector<SizeOfRegion> team_sizes(const std::vector<int> &regions,
                                                       Environment environment);
    // A thread that keeps workers which fork() has not copied.
    [[nodiscard]] std::optional<int> without_workers();

    [[nodiscard]] const std::map<int, KnownThread> &threads() override;
    [[nodiscard]] bool is_early() override;
    [[nodiscard]] std::vector<int> stopped() override;
    [[nodiscard]] std::vector<KnownRegion> regions() override;
    [[nodiscard]] KnownRuntimes runtimes() override;
    [[nodiscard]] std::string library_call(int region) override;
    [[nodiscard]] std::optional<int> begun_by(int gdb_num) override;
    [[nodiscard]] std::map<int, std::int64_t> devices(const std::vector<int> &gdb_nums) override;
    [[nodiscard]] PlaceRef construct(int region, std::uint64_t pc) override;
    [[nodiscard]] ThreadPlaces places(const std::vector<int> &gdb_nums) override;

private:
    // What reads of stacks; made when stacks are first asked for.
    struct Readers {
        Readers(Stop &stop, StopHost &host);

        HangReader hangs;
        StopWaits waits;
        FactsReader facts;
        TeamTargets targets;
        RegionMembers members;
    };
    [[nodiscard]] Readers &readers();
    [[nodiscard]] StopWaits &stop_waits() { return readers().waits; }
    void put_right(ThreadInTarget &one);

    StopHost &host_;
    std::uint64_t process_;
    std::shared_ptr<AllRuntimes> all_;
    std::optional<StopHost::Outcome> outcome_;  // once they were asked for
    std::optional<RegionsAndTasks> constructs_;
    std::optional<Readers> readers_;
    std::optional<std::vector<KnownThread>> every_thread_;
    std::optional<std::map<int, KnownThread>> threads_;
};

}  // namespace gdb_ompd
