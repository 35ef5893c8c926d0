// SPDX-License-Identifier: Apache-2.0
// Which function a call instruction calls.
//
// A frame's name cannot be trusted for this: in a stripped runtime a debugger names the
// nearest exported symbol, and tail calls leave no frame of what was called first.
#pragma once

#include "code/evaluation.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

namespace gdb_ompd::code {

class CallTargets {
public:
    CallTargets(AddressSpace &space, const Architecture *architecture,
                FunctionReader *functions = nullptr)
        : space_(space), architecture_(architecture), functions_(functions) {}

    // What the call before RETURN_ADDRESS may call: more than one where its bytes can be read in
    // two ways. Nothing for a call through a register, unless its function's code tells.
    [[nodiscard]] const std::vector<std::uint64_t> &targets(std::uint64_t return_address) const;
    // The one; none where there are none or more.
    [[nodiscard]] Value only_target(std::uint64_t return_address) const {
        const auto &all = targets(return_address);
        return all.size() == 1 ? Value(all.front()) : std::nullopt;
    }
    // What the call through a register or through memory before RETURN_ADDRESS called, if
    // that hangs on registers alone that a callee preserves. FUNCTION is the code around it,
    // null where it is not known: then the bytes are read as the longest call that they can be.
    [[nodiscard]] Value indirect(std::uint64_t return_address, const ReadRegister &preserved,
                                 const FunctionCode *function = nullptr) const;
    // Whether the call before RETURN_ADDRESS goes where a register or a record tells.
    [[nodiscard]] bool is_indirect(std::uint64_t return_address,
                                   const FunctionCode *function = nullptr) const;
    // Where a jump to TARGET ends: beyond its stub in the linkage table.
    [[nodiscard]] std::uint64_t final(std::uint64_t target) const;
    // Where a jump or call goes, beyond stubs and through a constant place in memory.
    [[nodiscard]] std::optional<std::uint64_t> destination(const Instruction &instruction) const;
    // What memory said is read again at the next stop.
    void end_stop() {
        targets_.clear();
        calls_.clear();
        finals_.clear();
    }
    // Whether the function at START begins as unoptimised ones do: with a frame pointer.
    [[nodiscard]] bool sets_up_frame(std::uint64_t start) const;
    // Where the code goes on behind an instruction at ADDRESS that repeats itself; none for
    // another.
    [[nodiscard]] Value behind_repeated(std::uint64_t address) const;

private:
    // The calls that the bytes before RETURN_ADDRESS can be read as.
    [[nodiscard]] const std::vector<Instruction> &calls(std::uint64_t return_address) const;
    [[nodiscard]] std::optional<Instruction> call_in(const FunctionCode *function,
                                                     std::uint64_t return_address) const;
    // What the register FROM, which the call before RETURN_ADDRESS goes through, was loaded with.
    [[nodiscard]] Value loaded(std::uint64_t return_address, Register from,
                               const ReadRegister &preserved, const FunctionCode *function) const;
    [[nodiscard]] std::optional<Instruction> single(std::uint64_t end, std::uint8_t length) const;
    [[nodiscard]] std::uint64_t beyond_stub(std::uint64_t target) const;
    [[nodiscard]] bool is_function(std::uint64_t target) const;
    [[nodiscard]] Value pointer(std::uint64_t address) const;
    // SIZE bytes at ADDRESS as instructions; none where they cannot be read.
    [[nodiscard]] const std::vector<Instruction> &decoded(std::uint64_t address,
                                                          std::size_t size) const;

    AddressSpace &space_;
    const Architecture *architecture_;
    FunctionReader *functions_;
    // All threads of a team wait behind the same few calls, in functions with the same calls:
    // without FINALS, what 1,000 threads hold is asked for with 34,000 decoded instructions.
    mutable std::unordered_map<std::uint64_t, std::vector<std::uint64_t>> targets_;
    mutable std::unordered_map<std::uint64_t, std::vector<Instruction>> calls_;
    mutable std::unordered_map<std::uint64_t, std::uint64_t> finals_;
    // From stop to stop, by address and size: what has other bytes is decoded again.
    struct Piece {
        std::vector<std::byte> bytes;
        std::vector<Instruction> instructions;
    };
    mutable std::map<std::pair<std::uint64_t, std::size_t>, Piece> pieces_;
};

}  // namespace gdb_ompd::code
