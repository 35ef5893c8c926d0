// SPDX-License-Identifier: Apache-2.0
// What the threads of one stop wait for: what their stacks show, put right by what the runtimes
// tell of their teams.
#pragma once

#include "stop/hang_facts.hpp"
#include "stop/known_runtimes.hpp"
#include "stop/region_calls.hpp"
#include "stop/wait_names.hpp"

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace gdb_ompd {

// The stop's teams. They are asked when they are needed: stacks tell much where no library does.
class StopTeams {
public:
    virtual ~StopTeams() = default;

    // OpenMP's threads by number; nothing where no library tells them.
    [[nodiscard]] virtual const std::map<int, KnownThread> &threads() = 0;
    // Whether the runtime is starting yet, in the call that begins the first region.
    [[nodiscard]] virtual bool is_early() = 0;
    // The threads that stand still.
    [[nodiscard]] virtual std::vector<int> stopped() = 0;
    [[nodiscard]] virtual std::vector<KnownRegion> regions() = 0;
    [[nodiscard]] virtual KnownRuntimes runtimes() = 0;
    // What the user's code called of the library that has begun a region, empty for none.
    [[nodiscard]] virtual std::string library_call(int region) = 0;
    // How many of the regions that a thread is in it has begun.
    [[nodiscard]] virtual std::optional<int> begun_by(int gdb_num) = 0;
    // The devices that target constructs of these threads are for which name none, as far as they
    // are known.
    [[nodiscard]] virtual std::map<int, std::int64_t> devices(const std::vector<int> &gdb_nums) = 0;
    // A region's construct for a thread that called at PC; null without a known line.
    [[nodiscard]] virtual PlaceRef construct(int region, std::uint64_t pc) = 0;
    // What these threads' stacks show.
    [[nodiscard]] virtual ThreadPlaces places(const std::vector<int> &gdb_nums) = 0;
};

// What a thread does outside of the user's code: its wait, completed by the call of the kernel that
// it is in.
struct Outside {
    WaitRef wait;
    SystemCall call;
};

using OutsideRef = std::shared_ptr<const Outside>;

class StopWaits {
public:
    using Waits = std::map<int, WaitRef>;  // by GDB numbers

    // All outlive it.
    StopWaits(HangReader &hangs, WholeStacks &stacks, WaitNames &names, RegionCalls &calls)
        : hangs_(hangs), stacks_(stacks), names_(names), calls_(calls) {}

    // Where a thread is by its stack and team.
    [[nodiscard]] const ThreadPlace &place(int gdb_num, StopTeams &teams);
    // What these threads wait for: of a worker without a task the others' stacks tell whether it
    // can be in a region, and the runtime whether it is.
    [[nodiscard]] Waits waits(const std::vector<int> &gdb_nums, StopTeams &teams);
    // What a thread does that has such a WAIT; null of one that does nothing outside.
    [[nodiscard]] OutsideRef outside(const KnownThread &thread, const WaitRef &wait);

private:
    void find(const std::vector<int> &gdb_nums, StopTeams &teams);
    void name_calls(const std::vector<int> &gdb_nums, StopTeams &teams);
    void mark_left(const std::vector<int> &gdb_nums, StopTeams &teams);
    void mark_not_begun(const std::vector<int> &gdb_nums, StopTeams &teams);
    void set_wait(int gdb_num, Wait wait);
    [[nodiscard]] Outside completed(int gdb_num, const WaitRef &wait, SystemCall call);

    HangReader &hangs_;
    WholeStacks &stacks_;
    WaitNames &names_;
    RegionCalls &calls_;
    ThreadPlaces places_;
    std::map<int, OutsideRef> outside_;
    // The last that was read: neighbours often do the same.
    WaitRef last_wait_;
    SystemCall last_call_;
    OutsideRef last_;
};

}  // namespace gdb_ompd
