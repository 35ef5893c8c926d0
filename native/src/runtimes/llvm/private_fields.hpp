// SPDX-License-Identifier: Apache-2.0
// Where LLVM's runtime keeps what OMPD does not publish: from the runtime's debug
// information where it has some, else as a known release has it. The records are those of
// openmp/runtime/src: kmp.h, kmp_lock.h, kmp_dispatch.h, kmp_wait_release.h and kmp_alloc.cpp.
#pragma once

#include "runtimes/llvm/layout.hpp"

#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace gdb_ompd {
class ElfImage;
}

namespace gdb_ompd::llvm {

// A field that this build of the runtime does not have, or whose place is not known.
class UnknownField : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

// How many serialized regions a team's thread has in each other.
inline constexpr std::string_view nested_regions = "kmp_base_team_t.t_serialized";

class PrivateFields {
public:
    // Offset and size by "record.field", in bytes, in bits for a field of bits. A record by its
    // name alone has offset 0, and an enumeration's constant has its number as offset.
    using Places = std::map<std::string, FieldPlace, std::less<>>;

    explicit PrivateFields(Places places) : places_(std::move(places)) {}

    // Those that the debug information of a runtime's file has; none where it has none.
    static std::optional<PrivateFields> of_debug_information(const ElfImage &file);
    // The names of all places that are of use, and those of them that are constants.
    static std::vector<std::string> names();
    static std::string_view enumeration();

    // Throws UnknownField.
    [[nodiscard]] FieldPlace at(std::string_view name) const;
    [[nodiscard]] std::optional<FieldPlace> find(std::string_view name) const;
    [[nodiscard]] const Places &places() const noexcept { return places_; }

private:
    Places places_;
};

}  // namespace gdb_ompd::llvm
