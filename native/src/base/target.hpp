// SPDX-License-Identifier: Apache-2.0
// All that the callbacks need from a debugger.
#pragma once

#include "base/ompd_types.h"

#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace gdb_ompd {

// Of the machines whose programs are read: x86-64 and aarch64.
inline constexpr std::uint64_t pointer_size = 8;

// An address in the target: never a pointer of ours.
struct TargetAddr {
    std::uint64_t value = 0;

    auto operator<=>(const TargetAddr &) const = default;  // NOLINT(modernize-use-nullptr)
};

constexpr TargetAddr operator+(TargetAddr address, std::uint64_t offset) {
    return TargetAddr{address.value + offset};
}

class Target {
public:
    Target() = default;
    virtual ~Target() = default;
    Target(const Target &) = delete;
    Target &operator=(const Target &) = delete;

    // Fill OUT; false when the target gave less than asked. Throws
    // MemoryUnreadable where memory cannot be read. Anything else it throws,
    // such as an interrupt by the user, must reach the user.
    virtual bool read_memory(TargetAddr address, std::span<std::byte> out) = 0;
    // Throws as read_memory does.
    virtual void write_memory(TargetAddr address, std::span<const std::byte> data) = 0;
    virtual std::optional<TargetAddr> thread_pointer(ompd_thread_id_t kind,
                                                     std::uint64_t thread_id) = 0;
    virtual void print_string(std::string_view text, int category) = 0;
};

}  // namespace gdb_ompd
