// SPDX-License-Identifier: Apache-2.0
// The functions of GCC's libgomp, and in them the calls of what the compiler outlined.
#pragma once

#include "code/function_code.hpp"
#include "code/image.hpp"

#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

namespace gdb_ompd::recovery {

// Where an outlined function is at its call: in a register, or in memory.
struct Holder {
    code::Register number = code::no_register;
    std::optional<std::int64_t> offset;  // from the register, where it is in memory

    bool operator==(const Holder &) const = default;
};

// A call of an outlined function.
struct Call {
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
    Holder now;    // where the function is before the call
    Holder later;  // behind it; nowhere if that is not known
    // The function is read from a task's record. A task without one, for a device, comes to
    // behind the call, too, and has no function there.
    bool of_kept = false;
};

// Instructions before a call, back to the last place where others may come from.
class Window {
public:
    Window(const code::FunctionCode &function, std::size_t call)
        : function_(function), call_(call), first_(call) {
        while (first_ > 0 && function.jumps_to(first_).empty()) {
            const code::Instruction &before = function.at(first_ - 1);
            if (before.is_call() || before.ends_flow()) {
                break;
            }
            --first_;
        }
    }

    // The last one that writes the register NUMBER, null where none does.
    [[nodiscard]] const code::Instruction *writer(code::Register number) const {
        for (std::size_t index = call_; index > first_; --index) {
            const code::Instruction &one = function_.at(index - 1);
            if ((one.writes & code::bit_of(number)) != 0) {
                return &one;
            }
        }
        return nullptr;
    }
    // Whether the register NUMBER is the same at the call as after the instruction WRITER.
    [[nodiscard]] bool keeps(code::Register number, const code::Instruction &writer) const {
        for (std::size_t index = call_; index > first_; --index) {
            const code::Instruction &one = function_.at(index - 1);
            if (&one == &writer) {
                return true;
            }
            if ((one.writes & code::bit_of(number)) != 0) {
                return false;
            }
        }
        return true;
    }

private:
    const code::FunctionCode &function_;
    std::size_t call_;
    std::size_t first_;
};

// A load of a whole word from memory at a register and an offset; not for null.
bool is_plain_load(const code::Instruction *one);
// From where, relative to its base, such a load of one or two registers has the one called NUMBER.
std::int64_t loaded_from(const code::Instruction &load, code::Register number);
// A call through a register, or through memory at a register and an offset.
bool is_indirect_call(const code::Instruction &one);
// The only call of that kind, none where there are more.
std::optional<std::size_t> only_call(const code::FunctionCode &function);
// What the last call before an instruction calls; none if it is not on every way there.
std::optional<std::uint64_t> direct_call_before(const code::FunctionCode &function,
                                                std::size_t index);

class GnuCode {
public:
    GnuCode(const code::Image &image, const code::Architecture &architecture)
        : image_(image), architecture_(architecture), convention_(architecture.convention()) {}

    [[nodiscard]] const code::Image &image() const { return image_; }
    [[nodiscard]] const code::Architecture &architecture() const { return architecture_; }
    [[nodiscard]] const code::CallingConvention &convention() const { return convention_; }
    [[nodiscard]] std::optional<code::FunctionCode> code_of(const code::Range &range) const;
    [[nodiscard]] std::optional<code::FunctionCode> function_at(std::uint64_t start) const;
    [[nodiscard]] std::optional<code::FunctionCode> exported(const char *name) const;
    [[nodiscard]] bool is_function(std::uint64_t address) const;
    // The call through a register or memory that is an instruction of FUNCTION.
    [[nodiscard]] Call call_at(const code::FunctionCode &function, std::size_t index) const;
    // Where code in RANGE calls or jumps to a function of another library's.
    [[nodiscard]] std::set<std::uint64_t> calls_of(const char *wanted,
                                                   const code::Range &range) const;

private:
    [[nodiscard]] bool is_kept(code::Register number) const;
    [[nodiscard]] std::string imported(const code::Instruction &one) const;
    [[nodiscard]] std::vector<code::Instruction> decoded(std::span<const std::byte> bytes,
                                                         std::uint64_t start) const;

    const code::Image &image_;
    const code::Architecture &architecture_;
    code::CallingConvention convention_;
};

}  // namespace gdb_ompd::recovery
