// SPDX-License-Identifier: Apache-2.0
// The layout of LLVM's runtime, as it publishes it in the program's memory. For each field that
// OMPD needs it has offset and size, for each task flag its mask, for some types and variables
// their size. Checked before libompd uses it: libompd trusts these numbers and reads as many bytes
// as they say into variables of fixed size.
#pragma once

#include "base/target.hpp"

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>

namespace gdb_ompd {
class AddressSpace;
}

namespace gdb_ompd::llvm {

struct FieldPlace {
    std::uint64_t offset = 0;
    std::size_t size = 0;
};

class Layout {
public:
    // By the variable's whole name, such as "ompd_access__kmp_base_info_t__th_team".
    using Values = std::map<std::string, std::uint64_t, std::less<>>;

    // Throws Inconsistent where VALUES are no layout.
    explicit Layout(Values values);

    // The layout that the runtime in SPACE publishes; call it once the runtime's
    // ompd_init has run, before which every value is 0. Throws Inconsistent, and what
    // AddressSpace throws where memory cannot be read.
    static Layout read(AddressSpace &space);

    // Each throws std::invalid_argument for a name that is not published.
    [[nodiscard]] FieldPlace field(std::string_view record, std::string_view name) const;
    // A field's offset in its record.
    [[nodiscard]] std::uint64_t access(std::string_view record, std::string_view name) const;
    // A type's or variable's size.
    [[nodiscard]] std::uint64_t size_of(std::string_view name) const;
    // A task flag's mask in kmp_tasking_flags_t.
    [[nodiscard]] std::uint64_t bit(std::string_view flag) const;

    [[nodiscard]] const Values &values() const noexcept { return values_; }

private:
    Values values_;
};

// The field INNER of the structure that is the field OUTER of a record.
constexpr FieldPlace within(FieldPlace outer, FieldPlace inner) {
    return {outer.offset + inner.offset, inner.size};
}

}  // namespace gdb_ompd::llvm
