// SPDX-License-Identifier: Apache-2.0
// Return addresses of stopped threads, by the unwind tables of the mapped files.
//
// For what is plain only: x86-64, a frame whose address is a register and an offset,
// registers saved at offsets from it. Anything else is the debugger's to unwind, but for functions
// that no table describes: their callers are searched for.
#pragma once

#include "unwind/caller_search.hpp"
#include "unwind/thread_stack.hpp"
#include "unwind/unwind_rules.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <unordered_set>
#include <vector>

namespace gdb_ompd {

// The caller of a function without unwind information.
struct FoundCaller {
    std::uint64_t function = 0;  // where the function that it has called begins
    Registers registers{};
};

class Unwinder {
public:
    using Range = UnwindRules::Range;

    // FOREIGN are the ranges of code that is not the user's, in order. HAS_ALL_FILES tells that no
    // mapped file is missing among MODULES: what is in none of them and is not foreign is in none.
    Unwinder(std::shared_ptr<AddressSpace> space, Modules modules, std::vector<Range> foreign,
             bool has_all_files);

    // How many of a thread's frames there are up to the first one in the user's code that is
    // not to be passed over, all if there is none. None where that cannot be told.
    [[nodiscard]] std::optional<std::size_t> to_user(ThreadStack &stack);
    // What the last of these executes: its program counter, in a frame that has called the last
    // byte of the call.
    [[nodiscard]] std::optional<std::uint64_t> last_executed(ThreadStack &stack);
    // Where the callers go on of the frame at PC whose rsp and rbp are SP and BP. They are listed
    // up to the first in the user's code, by memory as it is now.
    [[nodiscard]] std::optional<std::vector<std::uint64_t>>
    callers(std::uint64_t pc, std::uint64_t sp, std::uint64_t bp);
    // Unwind up to COUNT frames, as far as they can be told; tell whether these are all.
    bool unwind(ThreadStack &stack, std::size_t count);

    [[nodiscard]] AddressSpace &space() const noexcept { return *space_; }

    // Whether PC, a return address if it IS_CALLING, is in a mapped file that has no unwind
    // information for it, or in no file at all.
    [[nodiscard]] bool is_unlisted(std::uint64_t pc, bool is_calling);
    // The caller by the tables of the file that is mapped, which a debugger may not have; none
    // where they are not plain. Its function is not told.
    [[nodiscard]] std::optional<FoundCaller> listed_caller(std::uint64_t pc, bool is_calling,
                                                           const Registers &registers);
    // Whether PC is code that is in no mapped file, as it was made at run time.
    [[nodiscard]] bool is_in_no_file(std::uint64_t pc) const { return rules_.is_in_no_file(pc); }
    // The caller of a frame with such a PC and these REGISTERS; none where it cannot be told. Where
    // the process begins that is one at 0.
    [[nodiscard]] std::optional<FoundCaller> found_caller(std::uint64_t pc, bool is_calling,
                                                          const Registers &registers);

    // Go on beyond frames at PC, though they are the user's.
    void pass_over(std::uint64_t pc) { passed_.insert(pc); }

private:
    // Tell whether there is one.
    [[nodiscard]] bool add_caller(ThreadStack &stack);

    std::shared_ptr<AddressSpace> space_;
    UnwindRules rules_;
    std::unordered_set<std::uint64_t> passed_;
    std::unique_ptr<CallerSearch> search_;
    int searches_ = 0;       // that are under way, one for the frames of another
    int searches_left_ = 0;  // for the frame that was asked about
};

}  // namespace gdb_ompd
