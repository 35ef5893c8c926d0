// SPDX-License-Identifier: Apache-2.0
// Which workers were woken for a region and have not begun it: at its beginning their stacks are
// those of workers at the end of one.
#pragma once

#include "runtimes/capabilities.hpp"
#include "stop/known_runtimes.hpp"
#include "stop/runtime_stack.hpp"
#include "stop/waits.hpp"

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace gdb_ompd {

// A team with a region, and where its threads are, by their GDB numbers.
struct BegunTeam {
    bool has_worker_inside = false;  // one is in the user's code
    // Its primary thread, where that is in a call of the user's code, or in that itself.
    std::optional<int> primary;
    bool may_have_ended = false;  // it waits at the region's end, or nothing is known of it
    std::string entry_point;      // that it is in
    // Those in no task, each with what reads the runtime's record of it.
    struct Worker {
        int gdb_num = 0;
        Capabilities *runtime = nullptr;
        bool before_body = false;  // see ThreadWait
    };
    std::vector<Worker> workers;
};

// Where a thread is, as its stack tells.
struct StandsAt {
    bool in_users_code = false;  // or in a call of it
    code::WaitKind kind = code::WaitKind::none;
    std::string entry_point{};
    bool before_body = false;
};

// A team's threads by their numbers in it, as far as they are known, and those of its workers that
// are in no task.
struct WaitingTeam {
    std::vector<std::optional<int>> threads;
    std::vector<int> workers;
};

// The same with what is known of where they are, by PLACES of threads. Of workers whose runtime
// keeps no records nothing can be told.
BegunTeam begun_team(const WaitingTeam &team, const std::map<int, StandsAt> &places,
                     const KnownRuntimes &runtimes);

class BeginningReader {
public:
    // All frames of a thread, innermost first.
    using FramesOf = std::function<std::vector<code::Frame>(int)>;

    BeginningReader(WaitReader &waits, FramesOf frames)
        : waits_(waits), frames_(std::move(frames)) {}

    // Those workers that have not told the runtime that they have come to the end of the team's
    // region. True of each that has not begun it, false of one that is somewhere in the runtime
    // before its body or behind it.
    [[nodiscard]] std::map<int, bool> read(const BegunTeam &team);

private:
    [[nodiscard]] std::optional<bool> in_pool(int gdb_num, Capabilities &runtime,
                                              const BegunTeam &team, bool lasts);
    [[nodiscard]] std::optional<bool> read(int gdb_num, Capabilities &runtime, bool lasts);
    [[nodiscard]] bool lasts(const BegunTeam &team, Capabilities &runtime);

    WaitReader &waits_;
    FramesOf frames_;
};

}  // namespace gdb_ompd
