// SPDX-License-Identifier: Apache-2.0
// What executes one instruction after the other, of each machine that is understood.
#pragma once

#include "interpreter.hpp"

#include <memory>
#include <span>

namespace libgompd {

class Processor {
public:
    explicit Processor(std::uint64_t first) : next(first) {}
    virtual ~Processor() = default;
    Processor(const Processor &) = delete;
    Processor &operator=(const Processor &) = delete;

    // Execute the instruction that CODE begins with, which is at NEXT. False ends it: by a
    // return, a call, or what is not known.
    virtual bool step(std::span<const std::uint8_t> code) = 0;

    std::uint64_t next;
    Ending ending;
};

[[nodiscard]] std::shared_ptr<Decoder> make_decoder();
[[nodiscard]] std::unique_ptr<Processor> make_x86_64(Decoder &decoder, const Entry &entry,
                                                     Memory &memory);
[[nodiscard]] std::unique_ptr<Processor> make_aarch64(const Entry &entry, Memory &memory);

// Numbers of SIZE bytes.
constexpr std::uint64_t mask(unsigned size) {
    return size >= 8 ? ~std::uint64_t{0} : (std::uint64_t{1} << (8 * size)) - 1;
}

constexpr std::uint64_t sign(unsigned size) { return std::uint64_t{1} << (8 * size - 1); }

constexpr std::uint64_t extended(std::uint64_t value, unsigned size) {
    value &= mask(size);
    return (value & sign(size)) != 0 ? value | ~mask(size) : value;
}

}  // namespace libgompd
