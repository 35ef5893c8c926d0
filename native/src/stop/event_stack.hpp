// SPDX-License-Identifier: Apache-2.0
// What the stack says at a runtime's event function: who announced what, from where.
//
// It is asked in breakpoints' conditions, too, thousands of times in a run, for nothing but program
// counters, which the unwinder tells where it can. What these mean is asked once for each sequence
// of them: an event mostly comes the way it came before.
#pragma once

#include "stop/waits.hpp"

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace gdb_ompd {

// A frame as the debugger has it, inlined ones too.
struct EventFrame {
    std::uint64_t pc = 0;
    std::string name;  // of its function, empty for none
};

// The way that an event came. The runtime's functions are above the event function, up to other
// code: what the system has called went to the runtime with a jump.
struct EventWay {
    std::vector<std::string> functions;  // innermost first
    // The one that called a construct's body, none if none did: such a body has left no frame,
    // since it ends with a jump.
    std::optional<std::size_t> body;
    bool is_below_system = false;
};

// A thread's stack, from the function that announced an event to the innermost user code, where the
// thread has any: a worker's begins in the runtime.
class EventPath {
public:
    EventPath(std::shared_ptr<const EventWay> way, std::vector<std::uint64_t> pcs, bool has_user)
        : way_(std::move(way)), pcs_(std::move(pcs)),
          has_user_(has_user && !way_->is_below_system) {}

    [[nodiscard]] const std::vector<std::uint64_t> &pcs() const { return pcs_; }
    // How many of the frames are the runtime's.
    [[nodiscard]] std::size_t own() const { return way_->functions.size(); }
    // Whether the user's code is what these return to.
    [[nodiscard]] bool has_user() const { return has_user_; }
    // Where the user's code goes on, 0 without.
    [[nodiscard]] std::uint64_t pc() const { return has_user_ ? pcs_.back() : 0; }
    // The runtime's function that the user's code called or jumped to, empty if there is none.
    [[nodiscard]] std::string entry() const;
    [[nodiscard]] bool begins_league() const;
    // Whether the user's code is what called the runtime for this event.
    [[nodiscard]] bool body_has_frame() const { return has_user_ && !way_->body; }
    // The frame of the runtime's that a body without a frame jumped to.
    [[nodiscard]] std::optional<std::size_t> entry_without_body() const {
        return way_->body ? std::optional(*way_->body - 1) : std::nullopt;
    }
    // Whether an entry point for GCC's code announces, and not what it calls. Those that begin and
    // end a region by two calls do, as the last thing they do: a compiler makes it a jump, and the
    // caller's frame is seen instead.
    [[nodiscard]] bool is_entry_points_own() const;
    // Whether what announces has linked the team of a serialized region, in which the thread is.
    [[nodiscard]] bool links_serialized() const;
    // Whether it is the event of one team of a league, and not the league's or a region's. On a
    // worker nothing is above it that the user's code has called. On the thread that met the
    // construct both the league and its first team have the same caller, but the league's call is
    // then still under way.
    [[nodiscard]] bool is_team_of_league(bool begins) const;
    // The frame to which a call of GCC's code returns; none for other code.
    [[nodiscard]] std::optional<std::size_t> caller_of_gcc() const;

private:
    [[nodiscard]] const std::string *outermost() const;

    std::shared_ptr<const EventWay> way_;
    std::vector<std::uint64_t> pcs_;
    bool has_user_;
};

// What is known of one inferior's stacks at events.
class EventWays {
public:
    // The debugger's frames from the caller of the event function on, up to the user's code.
    using Ask = std::function<std::vector<EventFrame>()>;

    // UNWINDER is null where only the debugger unwinds. Both outlive it.
    EventWays(WaitReader &reader, Unwinder *unwinder) : reader_(reader), unwinder_(unwinder) {}

    // Of the thread whose innermost frame has these registers.
    [[nodiscard]] EventPath at(std::uint64_t pc, std::uint64_t sp, std::uint64_t bp,
                               const Ask &ask);
    // The registers that a function leaves as it found them, but for the stack pointer.
    [[nodiscard]] std::vector<std::string> saved_registers() const;
    // Whether the end of a region on a THREAD is announced for the first time, by the call of GCC's
    // code that returns to PC in a frame at SP. An entry point's OWN announcement comes last.
    [[nodiscard]] bool counts_end(int thread, bool is_own, std::uint64_t sp, std::uint64_t pc);

private:
    [[nodiscard]] EventWay way(std::span<const EventFrame> frames) const;
    [[nodiscard]] bool is_user(std::uint64_t pc) const {
        return reader_.calls().code().is_user(pc);
    }

    WaitReader &reader_;
    Unwinder *unwinder_;
    std::map<std::vector<std::uint64_t>, std::shared_ptr<const EventWay>> ways_;
    std::map<int, std::pair<std::uint64_t, std::uint64_t>> ended_;
};

}  // namespace gdb_ompd
