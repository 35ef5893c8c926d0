// SPDX-License-Identifier: Apache-2.0
// What the runtime's frames between two of the user's code are there for: by whom they were
// called, and what they have called.
#pragma once

#include "code/outlined_names.hpp"
#include "stop/begun_teams.hpp"
#include "stop/waits.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace gdb_ompd {

// A frame as a debugger has it, inlined ones too.
struct NamedFrame {
    std::string name;  // of its function as the compiler has it; empty for none
    code::Owner owner = code::Owner::user;
    std::uint64_t pc = 0;
    bool has_line = false;  // debug information tells its place in the source

    [[nodiscard]] bool is_user() const { return owner == code::Owner::user; }
    // What a compiler has made its function for; none of one that the user wrote.
    [[nodiscard]] std::optional<code::Made> made() const;
};
using NamedFrames = std::span<const NamedFrame>;

// The name of a body that has no frame, as it has ended with a jump to the call that is inside.
inline constexpr std::string_view gone = "(gone)";

// What made the runtime call the user's code; unknown: a callback, or a body whose kind the stack
// does not tell.
enum class Construct : std::uint8_t { region, league, task, target, unknown };

// As the model in Python has it.
std::string_view text(Construct construct);

// What a debugger is asked.
struct Debugger {
    // Whether the function that begins at an address is the body of a region, and is not the one
    // with that name, which its call goes on in.
    std::function<bool(std::uint64_t, const std::string &)> is_left_by_jump;
    // Whether the function around an address is the body of an explicit task of the thread's, or
    // what one has gone on in by so many jumps at most.
    std::function<bool(std::uint64_t, int)> is_of_task;
};

// The frames BETWEEN are the runtime's and the system's, innermost first, and at least one; the
// CALLER is the user's frame around them, null where there is none.
class RuntimeCalls {
public:
    RuntimeCalls(WaitReader &waits, const Debugger &debugger)
        : waits_(waits), debugger_(debugger) {}

    // The name of the entry point that a frame has called; empty for none.
    [[nodiscard]] std::string_view called(const NamedFrame &frame);
    // Whether a frame is in the call that begins a region.
    [[nodiscard]] bool begins_region(const NamedFrame &frame);
    [[nodiscard]] bool begins_league(const NamedFrame &frame);
    // Whether a frame of the user's is in the call for a target region.
    [[nodiscard]] bool begins_target(const NamedFrame &caller) const;
    // Where the call is that began the league that a body of a target region executes a team of.
    [[nodiscard]] std::optional<std::uint64_t> team_begun(const NamedFrame &body, bool innermost) {
        return gdb_ompd::team_begun(waits_.calls(), body.pc, innermost);
    }
    // Whether a frame is of a tool that has called the body for the runtime, or for itself.
    [[nodiscard]] bool is_tools(const NamedFrame &frame) const {
        return waits_.calls().code().is_tools(frame.pc);
    }
    // Whether a frame's call names the function that it calls, and was none through a pointer.
    [[nodiscard]] bool is_direct(const NamedFrame &frame) const;

    // Whether a frame is of a task's body that the runtime knows, and nothing else tells.
    [[nodiscard]] bool is_unnamed_task(const NamedFrame &frame) const {
        return !frame.has_line && debugger_.is_of_task(frame.pc, 0);
    }
    // Whether the call in which CALLER is, that of a BODY, is one of a serialized region's.
    [[nodiscard]] bool calls_serialized(const NamedFrame &caller, const NamedFrame &body) const {
        return body.pc != caller.pc && waits_.calls().serialized_body(caller.pc).has_value();
    }
    [[nodiscard]] bool is_same_function(const NamedFrame &one, const NamedFrame &other) const {
        code::FunctionReader &functions = waits_.calls().functions();
        const std::uint64_t start = functions.start_of(one.pc);
        return start != 0 && start == functions.start_of(other.pc);
    }
    // Whether the user's frames, of which the runtime has called the outermost for a task, are in a
    // call that executes the next part of this task.
    [[nodiscard]] bool executes_next_part(NamedFrames users) const;
    // What the runtime has called a BODY for.
    [[nodiscard]] Construct kind(const NamedFrame &body, NamedFrames between,
                                 const NamedFrame *caller);
    // The same where it is known whether a region BEGINS in the call that the frames are in.
    [[nodiscard]] Construct kind(const NamedFrame &body, NamedFrames between, bool begins);
    // What begins in the call that the frames are in, a region or a league.
    [[nodiscard]] std::optional<Construct> begun(NamedFrames between, const NamedFrame *caller);
    // What a thread executes whose innermost frames these are, and whose body may have ended with
    // a jump: then the call of it is one through a pointer.
    [[nodiscard]] std::optional<Construct> executed(NamedFrames between, const NamedFrame &caller);
    // How many frames there are up to a call which begins a region (of GCC's runtime: up to any
    // call) that another of the runtime's frames seems to have made through a pointer. The body
    // that it called has ended with a jump, and has no frame. 0 if there is none.
    [[nodiscard]] std::size_t until_jump(NamedFrames between);
    // Whether a task is executed in a call, whose OUTERMOST frame is given, of the task that has
    // created it: GCC's runtime executes no others in the call that makes one, nor in a taskwait.
    [[nodiscard]] bool is_in_creator(Construct kind, const NamedFrame &outermost);
    // Whether a region's body that a user's function, the CALLER, has called itself has ended with
    // a jump to the function INSIDE, or to the runtime's.
    [[nodiscard]] bool has_left(const NamedFrame &caller, const std::string &inside);

private:
    [[nodiscard]] const code::EntryPoint *around(const NamedFrame &frame);
    [[nodiscard]] bool is_body(const NamedFrame &body, const NamedFrame &caller);
    [[nodiscard]] bool is_microtask(NamedFrames between);

    WaitReader &waits_;
    const Debugger &debugger_;
};

}  // namespace gdb_ompd
