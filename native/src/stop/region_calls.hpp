// SPDX-License-Identifier: Apache-2.0
// The calls by which a thread's user code began the parallel regions that it is in.
//
// The stack's return addresses tell them where no function has ended with a jump, and the runtime
// has called each body. Else the debugger's frames do, of which some are of functions that are
// inlined, and others are made up for those that have jumped on.
#pragma once

#include "model/facts.hpp"
#include "stop/wait.hpp"
#include "stop/whole_stacks.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace gdb_ompd {

// What the debugger tells of a frame's function.
struct FrameFunction {
    std::string name;         // as the frame has it, empty for none
    std::string symbol;       // as debug information has it, empty without
    std::uint64_t start = 0;  // where that begins, 0 without
    bool has_line = false;    // debug information has the frame's place in the source
};

// What the debugger names where regions begin. A frame is one of its own, counted from the
// innermost.
class RegionNames {
public:
    using Names = std::optional<std::vector<std::string>>;

    virtual ~RegionNames() = default;

    // The functions whose code is at PC, in the one that begins at START: those that are inlined
    // first. None where it is not known which of them has the frame.
    [[nodiscard]] virtual Names functions_at(std::uint64_t pc, std::uint64_t start) = 0;
    [[nodiscard]] virtual FrameFunction function(int gdb_num, std::size_t frame) = 0;
    // Where a frame is, and where the call is that returns to PC.
    [[nodiscard]] virtual PlaceRef frame_place(int gdb_num, std::size_t frame) = 0;
    [[nodiscard]] virtual PlaceRef call_place(std::uint64_t pc) = 0;
    // Where the construct is that is begun at a CALL with a BODY, or whose BODY is known alone.
    [[nodiscard]] virtual PlaceRef construct_called(const PlaceRef &call, code::Value body) = 0;
    [[nodiscard]] virtual PlaceRef construct_of(std::uint64_t body) = 0;
    // Whether two places are of the same construct, and which that is is known.
    [[nodiscard]] virtual bool is_same_construct(const PlaceRef &one, const PlaceRef &other) = 0;
    // The text of the directive of a CONSTRUCT that the function around PC has begun, with the
    // lines that continue it; none where it is not known.
    [[nodiscard]] virtual std::optional<std::string> directive(std::uint64_t pc,
                                                               const PlaceRef &construct) = 0;
    // The value of an EXPRESSION in a thread's frame at PC; none for one that calls or changes
    // something, or that the debugger cannot tell.
    [[nodiscard]] virtual std::optional<std::int64_t> value(int gdb_num, std::uint64_t pc,
                                                            const std::string &expression) = 0;
    // A place in the line of a CONSTRUCT that a compiler tells, if that is in the same file; one
    // for what is at PC.
    [[nodiscard]] virtual PlaceRef with_line(const PlaceRef &place,
                                             const ConstructPlace &construct) = 0;
    [[nodiscard]] virtual PlaceRef with_pc(const PlaceRef &place, std::uint64_t pc) = 0;
    [[nodiscard]] virtual PlaceRef unknown_place(std::uint64_t pc) = 0;
    // Whether the function that was CALLED is a region's body, and not the one with the name
    // INSIDE, which the call goes on in.
    [[nodiscard]] virtual bool is_left_by_jump(std::uint64_t called, const std::string &inside) = 0;
};

// Such a call: the user's function in the frame CALLER called the runtime's entry point, or the
// outlined body itself, in the frame CALLEE. A body that began a region with a jump to the entry
// point has left no frame: then there is no CALLER.
struct RegionCall {
    std::optional<std::size_t> caller;
    std::size_t callee = 0;
    // The user's frame that executes the region on this thread; none if it has ended or not begun.
    std::optional<std::size_t> body;
    // The body that CALLER called, where CALLEE does not tell it: it has ended with a jump to
    // CALLEE's function, or has no name.
    code::Value left;
};

// How a thread leaves the region that it began by a call.
struct RegionReturn {
    std::size_t home = 0;  // the debugger's frame to which the region's end returns
    std::uint64_t returns_to = 0;
    bool is_direct = false;  // the user's code has called the body itself
};

class RegionCalls {
public:
    // Both outlive it.
    RegionCalls(WholeStacks &stacks, RegionNames &names) : stacks_(stacks), names_(names) {}

    struct Begun {
        std::vector<PlaceRef> constructs;  // of the regions, outermost first
        // Whether the last call has no body on the stack: its region has not begun, or has ended.
        bool in_last = false;
    };
    [[nodiscard]] const Begun &begun(int gdb_num);
    // Whether a call that begins a region is on the stack, and has a frame of the code that called.
    [[nodiscard]] bool is_in_region(int gdb_num);
    // Those calls by the debugger's frames, outermost first.
    [[nodiscard]] std::vector<RegionReturn> returns(int gdb_num);
    // The body of the region that a worker was given, where the function that its thread started in
    // has called that itself.
    [[nodiscard]] code::Value body_of_worker(int gdb_num);

private:
    class Walk;
    [[nodiscard]] Begun read_begun(int gdb_num);

    WholeStacks &stacks_;
    RegionNames &names_;
    std::map<int, Begun> begun_;
};

}  // namespace gdb_ompd
