// SPDX-License-Identifier: Apache-2.0
// What a thread's user code called: by the call in a frame of it, or through functions of the
// user's without a frame. Those have jumped on at their end.
#pragma once

#include "code/call_targets.hpp"
#include "code/code_around.hpp"
#include "code/code_map.hpp"
#include "code/entry_table.hpp"
#include "code/frame.hpp"
#include "code/library_calls.hpp"
#include "code/linked_names.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace gdb_ompd::code {

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

inline constexpr int most_tail_calls = 3;

class UserCalls {
public:
    UserCalls(std::shared_ptr<AddressSpace> space, const Modules &modules, const CodeMap &code,
              const Modules &runtimes);

    // What the call that returns to PC calls; none if it is no entry point, or not known.
    [[nodiscard]] std::optional<Called> of_call(std::uint64_t pc);
    // The same of the call by which a frame goes on, also through what its registers tell.
    [[nodiscard]] std::optional<Called> of_call(const Frame &frame);
    // The entry point whose own code PC is in.
    [[nodiscard]] const EntryPoint *around(std::uint64_t pc) const { return entries_.around(pc); }
    // An entry point for waits of a KIND that goes on to the runtime's function around PC; null if
    // none does.
    [[nodiscard]] const EntryPoint *entry_behind(WaitKind kind, std::uint64_t pc);
    // What the code of the function around PC tells.
    [[nodiscard]] CodeAround code_around(std::uint64_t pc) { return {functions_, targets_, pc}; }
    // What the user's code called of other files.
    [[nodiscard]] const LibraryCalls &libraries() const { return libraries_; }
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

    using CallsGiven = std::function<bool(std::uint64_t)>;
    // The innermost place where the runtime called a function of the user's that has no
    // frame. BODY tells which body of a construct the runtime was given, CALLS_GIVEN where it calls
    // nothing else, besides in each thread of a team.
    [[nodiscard]] std::optional<WithoutFrame> without_frame(std::span<const Frame> frames,
                                                            const std::function<Value()> &body,
                                                            const CallsGiven &calls_given = {});

    // What memory said is read again at the next stop.
    void end_stop() {
        functions_.end_stop();
        targets_.end_stop();
    }
    [[nodiscard]] FunctionReader &functions() { return functions_; }
    [[nodiscard]] const FunctionReader &functions() const { return functions_; }
    [[nodiscard]] const CallTargets &targets() const { return targets_; }
    [[nodiscard]] const CodeMap &code() const { return code_; }
    // Whether an instruction calls a function with that ROLE, be it bound yet or not.
    [[nodiscard]] bool calls(const Instruction &instruction, Role role);
    // The entry point that a call or a jump leads to; the one that begins at an address.
    [[nodiscard]] const EntryPoint *entry_of(const Instruction &instruction) const;
    // The same also of one that nobody has called yet.
    [[nodiscard]] const EntryPoint *bound_or_not(const Instruction &instruction);
    [[nodiscard]] const EntryPoint *entry_at(std::uint64_t address) const {
        return entries_.at(address);
    }
    // Where an entry point is, in each runtime that has it.
    [[nodiscard]] std::vector<std::uint64_t> starts(const EntryPoint &entry) const {
        return entries_.starts(entry);
    }

private:
    using Through = std::vector<std::uint64_t>;

    [[nodiscard]] std::optional<Called> leading_to(std::span<const std::uint64_t> targets);
    [[nodiscard]] std::optional<Called> left(std::uint64_t function, const Through &through,
                                             const std::function<bool(const Called &)> &is_known);
    [[nodiscard]] std::optional<Called> found_at(std::uint64_t target, const Through &through,
                                                 const std::function<bool(const Called &)> &known);
    [[nodiscard]] bool is_behind(std::uint64_t function, std::uint64_t pc, int jumps);
    [[nodiscard]] bool is_reached(std::uint64_t start, std::uint64_t pc, int jumps);

    const CodeMap &code_;
    FunctionReader functions_;
    CallTargets targets_;
    EntryPoints entries_;
    LinkedNames names_{functions_};
    LibraryCalls libraries_;
};

}  // namespace gdb_ompd::code
