// SPDX-License-Identifier: Apache-2.0
// Interprets the few instructions of a function that only reads: nothing is executed in the
// program, and what the function would read is up to the caller.
#pragma once

#include "target.hpp"

#include <memory>
#include <optional>

namespace libgompd {

// What the interpreted function reads and writes.
class Memory {
public:
    Memory() = default;
    virtual ~Memory() = default;
    Memory(const Memory &) = delete;
    Memory &operator=(const Memory &) = delete;

    // None where there is nothing to read. SIZE is 1, 2, 4 or 8.
    virtual std::optional<std::uint64_t> load(std::uint64_t address, std::size_t size) = 0;
    // SIZE is 0 where the value is not known.
    virtual bool store(std::uint64_t address, std::size_t size, std::uint64_t value) = 0;
};

// How a function ended: it returned RESULT, or was about to call CALLEE (0: not known) with
// these arguments, or did what cannot be interpreted.
struct Ending {
    enum class How : std::uint8_t { returned, called, refused } how = How::refused;
    std::uint64_t result = 0;
    std::uint64_t first = 0, second = 0;  // arguments
    std::uint64_t callee = 0;
};

// What the registers hold when the function is entered.
struct Entry {
    std::uint64_t function = 0;
    std::uint64_t thread_pointer = 0;
    std::uint64_t stack = 0;
    std::uint64_t first = 0, second = 0;  // arguments
    unsigned passed_calls = 0;            // so many calls are passed over
    std::uint64_t returned = 0;           // by each of them
};

// Of x86-64's instructions. It is made once for many functions: making it takes longer than
// interpreting one.
class Decoder;

// A target whose code is interpreted, which is its machine's.
class Interpreted final : public Target {
public:
    explicit Interpreted(const Target &target);

    [[nodiscard]] Ending interpret(const Entry &entry, Memory &memory) const;

private:
    std::shared_ptr<Decoder> decoder_;  // null where the machine needs none
};

}  // namespace libgompd
