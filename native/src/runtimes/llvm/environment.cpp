// SPDX-License-Identifier: Apache-2.0
#include "runtimes/llvm/environment.hpp"

#include "elf/address_space.hpp"

#include <algorithm>
#include <array>

namespace gdb_ompd::llvm {

namespace {

constexpr auto prefixes = std::to_array<std::string_view>({"OMP_", "KMP_", "LIBOMP", "GOMP_"});
constexpr std::array<std::string_view, 21> decided_at_start = {
    "KMP_AFFINITY",
    "KMP_ALL_THREADPRIVATE",
    "KMP_BLOCKTIME",
    "KMP_DEVICE_THREAD_LIMIT",
    "KMP_DYNAMIC_MODE",
    "KMP_FORKJOIN_BARRIER",
    "KMP_FORKJOIN_BARRIER_PATTERN",
    "KMP_HIDDEN_HELPER_AFFINITY",
    "KMP_LOCK_KIND",
    "KMP_PLAIN_BARRIER",
    "KMP_PLAIN_BARRIER_PATTERN",
    "KMP_REDUCTION_BARRIER",
    "KMP_REDUCTION_BARRIER_PATTERN",
    "KMP_SCHEDULE",
    "KMP_TEAMS_THREAD_LIMIT",
    "KMP_TOPOLOGY_METHOD",
    "OMP_AFFINITY_FORMAT",
    "OMP_MAX_ACTIVE_LEVELS",
    "OMP_PLACES",
    "OMP_PROC_BIND",
    "OMP_THREAD_LIMIT",
};
constexpr int max_variables = 10'000;
constexpr std::size_t max_text = 4096;

}  // namespace

std::map<std::string, std::string> environment_of(const Memory &memory) {
    // A program that uses it may have a copy of its own, which is the one that holds.
    const auto variable = memory.space().symbol_address("environ", std::nullopt, std::nullopt,
                                                        SearchOrder::load_order);
    auto found =
        variable ? environment_at(memory, *variable) : std::map<std::string, std::string>();
    std::erase_if(found, [](const auto &each) {
        return std::ranges::none_of(prefixes,
                                    [&](auto prefix) { return each.first.starts_with(prefix); });
    });
    return found;
}

bool is_decided_at_start(std::string_view name) {
    return std::ranges::find(decided_at_start, name) != decided_at_start.end();
}

std::map<std::string, std::string> environment_at(const Memory &memory, TargetAddr variable) {
    std::map<std::string, std::string> found;
    TargetAddr entry = memory.pointer(variable);
    for (int i = 0; i < max_variables && entry.value != 0; ++i) {
        const TargetAddr text_address = memory.pointer(entry);
        if (text_address.value == 0) {
            break;
        }
        const std::string text = memory.text(text_address, max_text);
        const std::string name = text.substr(0, text.find('='));
        found.try_emplace(name, name.size() < text.size() ? text.substr(name.size() + 1) : "");
        entry = entry + sizeof(std::uint64_t);
    }
    return found;
}

}  // namespace gdb_ompd::llvm
