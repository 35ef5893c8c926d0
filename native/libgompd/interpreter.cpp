// SPDX-License-Identifier: Apache-2.0
#include "processor.hpp"

#include <algorithm>
#include <array>

namespace libgompd {

namespace {

constexpr int max_steps = 400;
constexpr std::size_t longest_instruction = 15;

// The bytes at an address, as many as there are up to the longest instruction's.
struct Code {
    std::array<std::uint8_t, longest_instruction> bytes{};
    std::size_t size = longest_instruction;

    Code(const Target &target, std::uint64_t address) {
        constexpr std::uint64_t page = 4096;
        if (!target.can_read(address, bytes.data(), size)) {
            size = std::min<std::size_t>(size, page - address % page);  // what is mapped ends
            size = target.can_read(address, bytes.data(), size) ? size : 0;
        }
    }
};

}  // namespace

Interpreted::Interpreted(const Target &target)
    : Target(target), decoder_(machine() == Machine::x86_64 ? make_decoder() : nullptr) {}

Ending Interpreted::interpret(const Entry &entry, Memory &memory) const {
    const auto processor =
        decoder_ ? make_x86_64(*decoder_, entry, memory) : make_aarch64(entry, memory);
    for (int i = 0; i < max_steps; ++i) {
        const Code code(*this, processor->next);
        if (code.size == 0 || !processor->step({code.bytes.data(), code.size})) {
            break;
        }
    }
    return processor->ending;
}

}  // namespace libgompd
