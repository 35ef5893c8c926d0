// SPDX-License-Identifier: Apache-2.0
#include "runtimes/family.hpp"

#include <algorithm>
#include <array>
#include <stdexcept>

namespace gdb_ompd {

namespace {

struct Entry {
    const char *symbol;
    Family family;
};

constexpr auto entries = std::to_array<Entry>({{"__kmpc_fork_call", Family::llvm},
                                               {"ompd_dll_locations", Family::other},
                                               {"GOMP_parallel", Family::gnu}});
// One of those that OMPD needs stands for all: they are stripped together.
constexpr const char *ompd_symbol = "ompd_state";
// GCC's runtime has no such function: the name is given to places in its code.
constexpr const char *gnu_event = "ompd_bp_parallel_begin";

}  // namespace

std::optional<Family> family_of(const ElfImage &elf, bool is_executable) {
    const bool is_alone =
        is_executable && std::ranges::none_of(elf.headers().needed, [](const std::string &name) {
            return name.find("omp") != std::string::npos;
        });
    for (const auto &[symbol, family] : entries) {
        if (elf.exports(symbol) || (is_alone && elf.symbol(symbol))) {
            return family;
        }
    }
    return std::nullopt;
}

bool is_stripped_runtime(const ElfImage &elf) {
    try {
        const auto family = family_of(elf, false);
        const char *const wanted = family == Family::llvm ? ompd_symbol : gnu_event;
        return family && family != Family::other && !elf.symbol(wanted);
    } catch (const std::invalid_argument &) {
        return false;  // damaged, or replaced since it was opened: nothing to go by
    }
}

}  // namespace gdb_ompd
