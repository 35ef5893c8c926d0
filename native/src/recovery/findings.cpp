// SPDX-License-Identifier: Apache-2.0
#include "recovery/findings.hpp"

namespace gdb_ompd::recovery {

void Findings::found(const std::string &name, std::uint64_t address, SymbolKind kind,
                     std::string_view method) {
    const auto [place, fresh] =
        symbols_.try_emplace(name, Symbol{name, address, 0, kind, SymbolSource::recovered});
    if (fresh) {
        methods_.emplace(name, method);
    } else if (place->second.value != address) {
        refuse(name + ": " + methods_.at(name) + " and " + std::string(method) + " disagree");
    }
}

void Findings::require(bool holds, std::string reason) {
    if (!holds) {
        refuse(std::move(reason));
    }
}

std::optional<std::uint64_t> Findings::address(const std::string &name) const {
    const auto found = symbols_.find(name);
    return found == symbols_.end() ? std::nullopt : std::optional(found->second.value);
}

}  // namespace gdb_ompd::recovery
