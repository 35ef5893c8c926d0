// SPDX-License-Identifier: Apache-2.0
// Return addresses of stopped threads, by the unwind tables of the mapped files.
//
// For what is plain only: x86-64, a frame whose address is a register and an offset,
// registers saved at offsets from it. Anything else is the debugger's to unwind.
#pragma once

#include "base/target.hpp"
#include "elf/module.hpp"

#include <array>
#include <memory>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

namespace gdb_ompd {

class AddressSpace;

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

class Unwinder {
public:
    using Range = std::pair<std::uint64_t, std::uint64_t>;
    using Frames = std::vector<UnwoundFrame>;

    // FOREIGN are the ranges of code that is not the user's, in order.
    Unwinder(std::shared_ptr<AddressSpace> space, Modules modules, std::vector<Range> foreign);
    ~Unwinder();
    Unwinder(const Unwinder &) = delete;
    Unwinder &operator=(const Unwinder &) = delete;

    // A thread's frames, innermost first, up to the first one in the user's code that is
    // not to be passed over. None where that cannot be told. The kernel is asked for the
    // stack of a PROCESS that is named, where it can be.
    [[nodiscard]] std::optional<Frames> frames(const Registers &registers,
                                               std::optional<int> process = {});
    // Append up to COUNT callers of the last of FRAMES, as far as they can be told; tell
    // whether the stack begins with the last one.
    bool add_callers(Frames &frames, std::size_t count, std::optional<int> process = {});

    // Go on beyond frames at PC, though they are the user's.
    void pass_over(std::uint64_t pc) { passed_.insert(pc); }

private:
    struct Rule;
    class Tables;
    class Stack;
    enum class Step { made, at_end, failed };

    [[nodiscard]] Step add_caller(Frames &frames, std::optional<Stack> &stack,
                                  std::optional<int> process);
    const Rule &rule_at(std::uint64_t address);
    [[nodiscard]] Rule read_rule(std::uint64_t address);
    Tables *tables_of(const Module &module);
    [[nodiscard]] bool is_foreign(std::uint64_t pc) const;

    std::shared_ptr<AddressSpace> space_;
    Modules modules_;
    std::vector<Range> foreign_;
    std::unordered_set<std::uint64_t> passed_;
    std::unordered_map<const Module *, std::unique_ptr<Tables>> tables_;
    std::unordered_map<std::uint64_t, Rule> rules_;
};

}  // namespace gdb_ompd
