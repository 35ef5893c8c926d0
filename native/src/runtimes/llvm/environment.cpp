// SPDX-License-Identifier: Apache-2.0
#include "runtimes/llvm/environment.hpp"

#include "elf/address_space.hpp"

#include <algorithm>
#include <array>

namespace gdb_ompd::llvm {

namespace {

constexpr auto prefixes = std::to_array<std::string_view>({"OMP_", "KMP_", "LIBOMP", "GOMP_"});
constexpr int max_variables = 10'000;
constexpr std::size_t max_text = 4096;
constexpr std::size_t chunk = 64;

// The text at ADDRESS, which ends at a NUL or after max_text bytes.
std::string text_at(const Memory &memory, TargetAddr address) {
    std::string text;
    std::array<std::byte, chunk> bytes{};
    while (text.size() < max_text) {
        // Up to the next multiple, so that nothing is read of a page that may not be there.
        const auto piece = std::span(bytes).first(chunk - (address.value + text.size()) % chunk);
        memory.read(address + text.size(), piece);
        const auto end = std::ranges::find(piece, std::byte{});
        text.append(reinterpret_cast<const char *>(piece.data()),
                    static_cast<std::size_t>(end - piece.begin()));
        if (end != piece.end()) {
            break;
        }
    }
    return text;
}

}  // namespace

std::map<std::string, std::string> environment_of(const Memory &memory) {
    AddressSpace &space = memory.space();
    auto variable = space.symbol_address("environ", "libc.so.6", std::nullopt);
    if (!variable) {
        variable = space.symbol_address("environ", std::nullopt, std::nullopt);
    }
    std::map<std::string, std::string> found;
    TargetAddr entry = variable ? memory.pointer(*variable) : TargetAddr{};
    for (int i = 0; i < max_variables && entry.value != 0; ++i) {
        const TargetAddr text_address = memory.pointer(entry);
        if (text_address.value == 0) {
            break;
        }
        const std::string text = text_at(memory, text_address);
        const std::string name = text.substr(0, text.find('='));
        if (std::ranges::any_of(prefixes, [&](auto prefix) { return name.starts_with(prefix); })) {
            found[name] = name.size() < text.size() ? text.substr(name.size() + 1) : "";
        }
        entry = entry + sizeof(std::uint64_t);
    }
    return found;
}

}  // namespace gdb_ompd::llvm
