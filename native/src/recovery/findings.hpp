// SPDX-License-Identifier: Apache-2.0
// Where each symbol was found, and everything that speaks against the whole.
#pragma once

#include "elf/symbol_table.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gdb_ompd::recovery {

class Findings {
public:
    // Two methods that find different addresses for one name refuse the table.
    void found(const std::string &name, std::uint64_t address, SymbolKind kind,
               std::string_view method);
    // One address is an answer; several or none are a refusal.
    template <class Addresses>
    void found_only(const std::string &name, const Addresses &addresses, SymbolKind kind,
                    std::string_view method) {
        if (addresses.size() == 1) {
            found(name, *addresses.begin(), kind, method);
        } else {
            refuse(name + ": " + std::to_string(addresses.size()) + " candidates from " +
                   std::string(method));
        }
    }
    void refuse(std::string reason) { reasons_.push_back(std::move(reason)); }
    void require(bool holds, std::string reason);

    [[nodiscard]] std::optional<std::uint64_t> address(const std::string &name) const;
    [[nodiscard]] const std::map<std::string, Symbol> &symbols() const { return symbols_; }
    [[nodiscard]] std::map<std::string, Symbol> &symbols() { return symbols_; }
    [[nodiscard]] const std::vector<std::string> &reasons() const { return reasons_; }

private:
    std::map<std::string, Symbol> symbols_;
    std::map<std::string, std::string> methods_;
    std::vector<std::string> reasons_;
};

}  // namespace gdb_ompd::recovery
