// SPDX-License-Identifier: Apache-2.0
#include "runtimes/gnu/kept_record.hpp"

#include "runtimes/code_read.hpp"

#include <map>

namespace gdb_ompd::gnu {

namespace {

using code::Instruction;
using code::Operation;
using code::Register;

constexpr std::size_t rest_of_function = 256;
constexpr std::uint64_t whole_record = 256;

// What registers hold on the way to the function's end.
class Registers {
public:
    Registers(const code::Frame &frame, std::uint64_t thread_pointer)
        : kept_(frame), thread_pointer_(thread_pointer) {}

    [[nodiscard]] code::Value value(Register number) const {
        return (changed_ & code::bit_of(number)) != 0 ? std::nullopt : kept_.held_by(number);
    }
    // Where the value of one was loaded from.
    [[nodiscard]] std::optional<TargetAddr> loaded(Register number) const {
        const auto found = loaded_.find(number);
        return found == loaded_.end() ? std::nullopt : std::optional(found->second);
    }
    [[nodiscard]] std::optional<TargetAddr> address(const Instruction &one) const {
        const code::Memory &at = one.memory;
        const auto base =
            at.base == code::no_register ? std::optional(std::uint64_t{0}) : value(at.base);
        if (!one.has_memory || !base || at.index != code::no_register) {
            return std::nullopt;
        }
        return TargetAddr{*base + static_cast<std::uint64_t>(at.displacement) +
                          (at.thread_local_segment ? thread_pointer_ : 0)};
    }
    void execute(const Instruction &one) {
        if (one.is_call()) {  // it leaves those that FRAME has
            loaded_.clear();
            return;
        }
        const auto from = one.operation == Operation::load ? address(one) : std::nullopt;
        changed_ |= one.writes;
        for (Register number = 0; number < code::register_count; ++number) {
            if ((one.writes & code::bit_of(number)) != 0) {
                loaded_.erase(number);
                if (from) {
                    loaded_.emplace(number, *from);
                }
            }
        }
    }

private:
    const code::Frame &kept_;
    std::uint64_t thread_pointer_;
    std::uint64_t changed_ = 0;
    std::map<Register, TargetAddr> loaded_;
};

}  // namespace

KeptRecord::KeptRecord(AddressSpace &space, const code::Frame &frame, std::uint64_t thread_pointer,
                       TargetAddr record)
    : space_(space) {
    Registers registers(frame, thread_pointer);
    for (const Instruction &one : code_read(space, TargetAddr{frame.pc}, rest_of_function)) {
        if (one.is_jump() || one.ends_flow()) {
            break;
        }
        const auto to = one.changes_memory() ? registers.address(one) : std::nullopt;
        if (to && record <= *to && to->value - record.value < whole_record) {
            const auto address = registers.loaded(one.source);
            const code::Value value = registers.value(one.source);
            if (address || value) {
                parts_.push_back({to->value - record.value, one.width, address, value.value_or(0)});
            }
        }
        registers.execute(one);
    }
}

std::optional<std::uint64_t> KeptRecord::value(std::uint64_t offset, std::uint64_t size) const {
    for (const Part &part : parts_) {
        if (part.offset > offset || offset + size > part.offset + part.width) {
            continue;
        }
        const std::uint64_t inside = offset - part.offset;
        if (part.address) {
            return space_.uint_at(*part.address + inside, size);
        }
        const std::uint64_t rest = part.value >> (inside * 8);
        return size < 8 ? rest & ((std::uint64_t{1} << (size * 8)) - 1) : rest;
    }
    return std::nullopt;
}

}  // namespace gdb_ompd::gnu
