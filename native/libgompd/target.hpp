// SPDX-License-Identifier: Apache-2.0
// The program as the debugger's callbacks give it: memory and symbols.
#pragma once

#include "base/ompd_types.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace libgompd {

// Why a question has no answer. The exported functions return its code.
struct Refused {
    ompd_rc_t code;
};

// The debugger's, from ompd_initialize to ompd_finalize.
extern const ompd_callbacks_t *callbacks;

// Whose code the target's is.
enum class Machine : std::uint8_t { x86_64, aarch64 };

// Bytes of the target's, the lowest first whatever machine this is.
template <std::size_t size> struct Bytes {
    std::array<std::uint8_t, size> raw{};

    [[nodiscard]] std::uint64_t number(std::size_t offset, std::size_t width) const {
        std::uint64_t value = 0;
        for (std::size_t i = 0; i < width; ++i) {
            value |= std::uint64_t{raw.at(offset + i)} << (8 * i);
        }
        return value;
    }
    [[nodiscard]] std::uint32_t u32(std::size_t offset) const {
        return static_cast<std::uint32_t>(number(offset, 4));
    }
    [[nodiscard]] std::uint64_t u64(std::size_t offset) const { return number(offset, 8); }
};

// One address space. Every function throws Refused with the callback's code.
class Target {
public:
    Target(ompd_address_space_context_t *context, Machine machine)
        : context_(context), machine_(machine) {}

    void read(std::uint64_t address, void *out, std::size_t size) const;
    [[nodiscard]] bool can_read(std::uint64_t address, void *out, std::size_t size) const noexcept;
    template <std::size_t size> [[nodiscard]] Bytes<size> bytes(std::uint64_t address) const {
        Bytes<size> found;
        read(address, found.raw.data(), size);
        return found;
    }
    [[nodiscard]] std::uint64_t u64(std::uint64_t address) const {
        return bytes<8>(address).u64(0);
    }
    // WIDTH is 1, 2, 4 or 8.
    [[nodiscard]] std::uint64_t number(std::uint64_t address, std::size_t width) const;
    // None where the debugger knows no such symbol; FILE may be null.
    [[nodiscard]] std::optional<std::uint64_t>
    symbol(const char *name, const char *file, ompd_thread_context_t *thread = nullptr) const;
    // The string's bytes without the NUL; false where there is no end of it in OUT.
    [[nodiscard]] bool string(std::uint64_t address, std::span<char> out) const;
    // The thread's context, valid for this call.
    [[nodiscard]] ompd_thread_context_t *thread(ompd_thread_id_t kind, ompd_size_t size,
                                                const void *id) const;

    [[nodiscard]] ompd_address_space_context_t *context() const { return context_; }
    [[nodiscard]] Machine machine() const { return machine_; }

private:
    ompd_address_space_context_t *context_;
    Machine machine_;
};

// Memory of the debugger's; throws Refused.
[[nodiscard]] void *allocate(std::size_t size);
// A copy of TEXT in such memory.
[[nodiscard]] const char *lend(const char *text);
// Tell the debugger's user something.
void print(const char *text) noexcept;

}  // namespace libgompd
