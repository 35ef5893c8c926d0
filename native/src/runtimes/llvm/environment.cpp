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

}  // namespace

std::map<std::string, std::string> environment_of(const Memory &memory) {
    AddressSpace &space = memory.space();
    // A program that uses it may have a copy of its own, which is the one that holds.
    const auto variable =
        space.symbol_address("environ", std::nullopt, std::nullopt, SearchOrder::load_order);
    std::map<std::string, std::string> found;
    TargetAddr entry = variable ? memory.pointer(*variable) : TargetAddr{};
    for (int i = 0; i < max_variables && entry.value != 0; ++i) {
        const TargetAddr text_address = memory.pointer(entry);
        if (text_address.value == 0) {
            break;
        }
        const std::string text = memory.text(text_address, max_text);
        const std::string name = text.substr(0, text.find('='));
        if (std::ranges::any_of(prefixes, [&](auto prefix) { return name.starts_with(prefix); })) {
            found[name] = name.size() < text.size() ? text.substr(name.size() + 1) : "";
        }
        entry = entry + sizeof(std::uint64_t);
    }
    return found;
}

}  // namespace gdb_ompd::llvm
