// SPDX-License-Identifier: Apache-2.0
// What a thread's user code called: by the call in a frame of it, or through functions of the
// user's without a frame. Those have jumped on at their end.
#pragma once

#include "code/call_targets.hpp"
#include "code/code_map.hpp"
#include "code/entry_table.hpp"
#include "code/linked_names.hpp"
#include "code/loop_counters.hpp"

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gdb_ompd::code {

// A frame of a stopped thread. REGISTERS are those that its callee preserved.
struct Frame {
    std::uint64_t pc = 0;
    // Whether an instruction of its caller called it: not a function that is inlined, nor
    // one that a signal interrupted.
    bool is_called = true;
    std::array<Value, first_vector_register> registers{};
    // Whether a debugger has made it up for a function that has ended with a jump.
    bool is_tail_call = false;

    [[nodiscard]] Value held_by(Register number) const {
        return number < registers.size() ? registers[number] : std::nullopt;
    }
};

// Whether a signal has interrupted the function of a frame: no instruction of it has called what
// is inside, which is not inlined, either.
[[nodiscard]] inline bool is_interrupted(std::span<const Frame> frames, std::size_t number) {
    const Frame &inner = frames[number - 1];
    return !inner.is_called && inner.pc != frames[number].pc;
}
// Whether it is the part of the function of the next frame that another one was inlined into.
[[nodiscard]] inline bool is_inlined(std::span<const Frame> frames, std::size_t number) {
    return !frames[number].is_called && number + 1 < frames.size() &&
           frames[number].pc == frames[number + 1].pc;
}
// The frame, from AT on, by whose call that frame's function came to be executed: those that are
// made up hold no call.
[[nodiscard]] std::size_t that_called(std::span<const Frame> frames, std::size_t at);
// What a signal's handler has called where one has interrupted FRAMES, without what called the
// handler; all of them where none has.
[[nodiscard]] std::span<const Frame> since_signal(std::span<const Frame> frames);

// Whether it is a FUNCTION that every stack begins with.
bool starts_stack(std::string_view function);

// What a call in the user's code leads to: an entry point of the runtime, or a function of
// the system's.
struct Called {
    const EntryPoint *entry = nullptr;
    std::string outside;  // without an entry point
    // The user's functions that jumped on, by their first instructions.
    std::vector<std::uint64_t> through;
    bool lost = false;           // there is such a function, and which one is not known
    std::uint64_t function = 0;  // of the system's, which OUTSIDE names

    bool operator==(const Called &) const = default;
};

// What a function of the user's without a frame is in, and how many frames are below it.
struct WithoutFrame {
    Called called;
    std::size_t below = 0;
};

// A call by name of a library's function, and which of the frames made it.
struct LibraryCall {
    std::string function;
    std::size_t caller = 0;
    bool has_openmp = false;  // what it has led to is in a library that uses OpenMP
};

// Whether it is one of MPI's, as C calls it or as Fortran does.
[[nodiscard]] bool is_mpi(std::string_view function);

inline constexpr int most_tail_calls = 3;

class UserCalls {
public:
    UserCalls(std::shared_ptr<AddressSpace> space, const Modules &modules, const CodeMap &code,
              const Modules &runtimes);

    // What the call that returns to PC calls; none if it is no entry point, or not known.
    [[nodiscard]] std::optional<Called> of_call(std::uint64_t pc);
    // The entry point whose own code PC is in.
    [[nodiscard]] const EntryPoint *around(std::uint64_t pc) const { return entries_.around(pc); }
    // An entry point for waits of a KIND that goes on to the runtime's function around PC; null if
    // none does.
    [[nodiscard]] const EntryPoint *entry_behind(WaitKind kind, std::uint64_t pc);
    // The system's function that FRAMES, which are innermost first and below the user's
    // code, were called by, under the name that people write; empty where it has none.
    [[nodiscard]] std::string outside(std::span<const Frame> frames, const Frame *user);
    // What of another library the user's code called, where the innermost of USERS is in one: a
    // file that knows no source lines and was called by name. Of several the outermost, as far as
    // each has called the next by name, or through a pointer if it is linked against that; MPI
    // calls its parts through pointers. One that uses OpenMP is a user of those without; around one
    // that does, others only stand for its own functions.
    [[nodiscard]] std::optional<LibraryCall> library_call(std::span<const Frame> users);
    // The same of the library that the frame at PC is in, one of a thread's FRAMES.
    [[nodiscard]] std::optional<LibraryCall> library_call_of(std::span<const Frame> frames,
                                                             std::uint64_t pc);
    // Whether PC is in a library that uses OpenMP and knows no source lines.
    [[nodiscard]] bool is_in_openmp_library(std::uint64_t pc) const;
    // Whether PC is in a file that knows source lines.
    [[nodiscard]] bool has_lines(std::uint64_t pc) const;
    // Where the function around PC goes by the jumps that leave it.
    [[nodiscard]] std::vector<std::uint64_t> jumps_out(std::uint64_t pc);
    // The jumps from one place of the function around PC to another: where they are, and where they
    // lead to. Also what goes on to such a place from before it.
    [[nodiscard]] std::vector<std::pair<std::uint64_t, std::uint64_t>>
    ways_inside(std::uint64_t pc);
    // Whether arguments were pushed for the call that returns to PC, and are taken off there.
    [[nodiscard]] bool has_pushed_arguments(std::uint64_t pc);
    // The calls that the function around PC makes, but for those through registers.
    struct CallMade {
        std::uint64_t address = 0, returns_to = 0, target = 0;
    };
    [[nodiscard]] std::vector<CallMade> calls_made(std::uint64_t pc);
    // The variables that a loop of the function around PC is counted with: see loop_counters.hpp.
    [[nodiscard]] std::vector<LoopCounter> loop_counters(std::uint64_t pc, std::int64_t iteration);
    // Whether the function around PC computes what a register holds from what that held itself, or
    // may do so: of one that is not preserved, by GDB's name, nothing is told.
    [[nodiscard]] bool may_change_in_place(std::uint64_t pc, std::string_view name);
    // Whether the functions that a frame has called have left a register as it was, which is GDB's
    // NAME: see kept_registers.hpp.
    [[nodiscard]] bool is_kept(std::span<const std::uint64_t> pcs, std::string_view name);
    // Whether the function around PC has set a register, by GDB's NAME, more than once WITHIN a
    // block before it is at PC: see kept_registers.hpp.
    [[nodiscard]] bool is_set_again(std::uint64_t pc, const Range &within, std::string_view name);
    // Whether a way of one function leads from FROM to TO on which nothing is changed that a value
    // is made of: registers, by GDB's NAMES, and SLOTS of the frame. See kept_registers.hpp.
    [[nodiscard]] bool may_stay(std::uint64_t from, std::uint64_t to,
                                std::span<const std::string> names,
                                std::vector<std::int64_t> slots);
    // Whether the call before RETURN_ADDRESS is not one through a pointer.
    [[nodiscard]] bool is_direct(std::uint64_t return_address) const;
    // Whether PC is in what begins a region or ends one, or in what such a function ends with a
    // jump to.
    [[nodiscard]] bool is_in_region_call(std::uint64_t pc);
    // The values of a function that is at the instruction HERE, in FRAME. AT_ENTRY tells what it
    // was called with, where that is known.
    [[nodiscard]] Evaluation in_frame(const FunctionCode &code, std::size_t here,
                                      const Frame &frame,
                                      std::function<Former(Register)> at_entry = {});
    [[nodiscard]] ReadMemory memory();
    // The function that FRAME has called through a pointer, as its registers tell.
    [[nodiscard]] Value function_called(const Frame &frame);
    // Whether FUNCTION is the one around PC, or ends with so many JUMPS to that.
    [[nodiscard]] bool goes_on_to(std::uint64_t function, std::uint64_t pc, int jumps);
    // The body of a serialized region that the call before RETURN_ADDRESS calls, as clang's code
    // does: the runtime is called next, to end the region. None for other calls.
    [[nodiscard]] Value serialized_body(std::uint64_t return_address);
    [[nodiscard]] LinkedNames &names() { return names_; }
    // The name of the function that the call before RETURN_ADDRESS names.
    [[nodiscard]] std::optional<std::string> name_called(std::uint64_t return_address) const;

    // The innermost place where the runtime called a function of the user's that has no
    // frame. BODY tells which body of a region the runtime was given.
    [[nodiscard]] std::optional<WithoutFrame> without_frame(std::span<const Frame> frames,
                                                            const std::function<Value()> &body);

    // What memory said is read again at the next stop.
    void end_stop() {
        functions_.end_stop();
        targets_.end_stop();
        names_.end_stop();
    }
    [[nodiscard]] FunctionReader &functions() { return functions_; }
    [[nodiscard]] const FunctionReader &functions() const { return functions_; }
    [[nodiscard]] const CallTargets &targets() const { return targets_; }
    [[nodiscard]] const CodeMap &code() const { return code_; }
    // The entry point that a call or a jump leads to; the one that begins at an address.
    // Whether an instruction calls a function with that ROLE, be it bound yet or not.
    [[nodiscard]] bool calls(const Instruction &instruction, Role role);
    [[nodiscard]] const EntryPoint *entry_of(const Instruction &instruction) const;
    [[nodiscard]] const EntryPoint *entry_at(std::uint64_t address) const {
        return entries_.at(address);
    }
    // Where an entry point is, in each runtime that has it.
    [[nodiscard]] std::vector<std::uint64_t> starts(const EntryPoint &entry) const {
        return entries_.starts(entry);
    }

private:
    using Through = std::vector<std::uint64_t>;

    [[nodiscard]] std::optional<Called> left(std::uint64_t function, const Through &through,
                                             const std::function<bool(const Called &)> &is_known);
    [[nodiscard]] std::optional<Called> found_at(std::uint64_t target, const Through &through,
                                                 const std::function<bool(const Called &)> &known);
    [[nodiscard]] std::optional<std::string> name_across(const Frame &inner, const Module &callee,
                                                         const Frame &outer, const Module &around);
    [[nodiscard]] static bool needs(const Module &module, const Module &other);
    [[nodiscard]] bool uses_openmp(const Module &module) const;
    [[nodiscard]] bool is_behind(std::uint64_t function, std::uint64_t pc, int jumps);
    [[nodiscard]] bool is_reached(std::uint64_t start, std::uint64_t pc, int jumps);

    const CodeMap &code_;
    Modules runtimes_;
    FunctionReader functions_;
    CallTargets targets_;
    EntryPoints entries_;
    LinkedNames names_{functions_};
};

}  // namespace gdb_ompd::code
