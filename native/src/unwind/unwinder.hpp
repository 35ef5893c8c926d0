// SPDX-License-Identifier: Apache-2.0
// Return addresses of stopped threads, by the unwind tables of the mapped files.
//
// For what is plain only: x86-64, a frame whose address is a register and an offset,
// registers saved at offsets from it. Anything else is the debugger's to unwind, but for functions
// that no table describes: their callers are searched for.
#pragma once

#include "base/target.hpp"
#include "elf/module.hpp"
#include "unwind/caller_search.hpp"

#include <array>
#include <memory>
#include <optional>
#include <span>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

namespace gdb_ompd {

// By DWARF's numbers for x86-64: 6 is rbp, 7 rsp, 16 the return address.
inline constexpr std::size_t unwind_registers = 17;
using Registers = std::array<std::optional<std::uint64_t>, unwind_registers>;

// The registers of a thread that this process traces and that stands still; none
// where the kernel or the machine does not give them.
std::optional<Registers> thread_registers(int lwp);

// A frame, with the registers as its callee left them.
struct UnwoundFrame {
    std::uint64_t pc = 0;
    Registers registers{};
};

// The caller of a function without unwind information.
struct FoundCaller {
    std::uint64_t function = 0;  // where the function that it has called begins
    Registers registers{};
};

// A stopped thread's stack, unwound as far as anybody has asked.
class ThreadStack {
public:
    // The kernel is asked for the stack of a PROCESS that is named, where it can be.
    ThreadStack(const Registers &registers, std::optional<int> process) : process_(process) {
        frames_.reserve(usual_frames);
        frames_.push_back({registers[16].value_or(0), registers});
    }

    // Those of threads that this process traces and that stand still, null for each whose
    // registers are not given. The kernel is asked once for what is near their stack pointers.
    static std::vector<std::unique_ptr<ThreadStack>> traced(std::span<const int> lwps,
                                                            std::optional<int> process);

    // Innermost first.
    [[nodiscard]] const std::vector<UnwoundFrame> &frames() const noexcept { return frames_; }

private:
    friend class Unwinder;
    enum class End { open, found, not_plain };
    static constexpr std::size_t usual_frames = 8;  // up to the user's and what called it

    [[nodiscard]] std::optional<std::uint64_t> word_at(AddressSpace &space, TargetAddr address);
    void read_near(AddressSpace &space, TargetAddr address);

    std::vector<UnwoundFrame> frames_;
    std::optional<int> process_;
    End end_ = End::open;
    // Part of the stack, read at once.
    std::vector<std::byte> near_;
    TargetAddr near_from_;
    bool is_all_there_ = true;
};

class Unwinder {
public:
    using Range = std::pair<std::uint64_t, std::uint64_t>;

    // FOREIGN are the ranges of code that is not the user's, in order. HAS_ALL_FILES tells that no
    // mapped file is missing among MODULES: what is in none of them and is not foreign is in none.
    Unwinder(std::shared_ptr<AddressSpace> space, Modules modules, std::vector<Range> foreign,
             bool has_all_files);
    ~Unwinder();
    Unwinder(const Unwinder &) = delete;
    Unwinder &operator=(const Unwinder &) = delete;

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
    [[nodiscard]] bool is_in_no_file(std::uint64_t pc) const;
    // The caller of a frame with such a PC and these REGISTERS; none where it cannot be told. Where
    // the process begins that is one at 0.
    [[nodiscard]] std::optional<FoundCaller> found_caller(std::uint64_t pc, bool is_calling,
                                                          const Registers &registers);

    // Go on beyond frames at PC, though they are the user's.
    void pass_over(std::uint64_t pc) { passed_.insert(pc); }

private:
    struct Rule;
    class Tables;

    // Tell whether there is one.
    [[nodiscard]] bool add_caller(ThreadStack &stack);
    const Rule &rule_at(std::uint64_t address);
    [[nodiscard]] Rule read_rule(std::uint64_t address);
    Tables *tables_of(const Module &module);
    [[nodiscard]] bool is_foreign(std::uint64_t pc) const;

    std::shared_ptr<AddressSpace> space_;
    Modules modules_;
    std::vector<Range> foreign_;
    bool has_all_files_;
    std::unordered_set<std::uint64_t> passed_;
    std::unordered_map<const Module *, std::unique_ptr<Tables>> tables_;
    std::unordered_map<std::uint64_t, std::unique_ptr<Rule>> rules_;
    std::unique_ptr<CallerSearch> search_;
    int searches_ = 0;       // that are under way, one for the frames of another
    int searches_left_ = 0;  // for the frame that was asked about
};

}  // namespace gdb_ompd
