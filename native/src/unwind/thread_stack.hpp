// SPDX-License-Identifier: Apache-2.0
// A stopped thread's stack: its frames so far, and the memory that they are read from.
#pragma once

#include "base/target.hpp"
#include "code/frame.hpp"
#include "elf/address_space.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace gdb_ompd {

// By DWARF's numbers for x86-64: the last one is that of the return address.
inline constexpr std::size_t unwind_registers = 17;
inline constexpr std::size_t frame_pointer = 6;
inline constexpr std::size_t stack_pointer = 7;
inline constexpr std::size_t return_address = 16;
inline constexpr std::size_t most_frames = 100000;  // a deeper stack is the debugger's to unwind
using Registers = std::array<std::optional<std::uint64_t>, unwind_registers>;
// The processor's numbers, by DWARF's: rax, rdx, rcx, rbx, rsi, rdi, rbp, rsp, and those that
// have numbers.
inline constexpr std::array<code::Register, 16> processors_numbers{0, 2, 1,  3,  6,  7,  5,  4,
                                                                   8, 9, 10, 11, 12, 13, 14, 15};

// The registers of a thread that this process traces and that stands still; none
// where the kernel or the machine does not give them.
std::optional<Registers> thread_registers(int lwp);

// A frame, with the registers as its callee left them.
struct UnwoundFrame {
    std::uint64_t pc = 0;
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

}  // namespace gdb_ompd
