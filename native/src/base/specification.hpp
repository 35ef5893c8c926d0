// SPDX-License-Identifier: Apache-2.0
// What OpenMP's versions have in OMPD: ICVs, scopes, states, functions, events and return codes,
// each with the version that brings it and the one that drops it. Versions are _OPENMP's numbers.
#pragma once

#include "base/ompd_types.h"

#include <array>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace gdb_ompd::specification {

inline constexpr ompd_word_t openmp_5_0 = 201811;
inline constexpr ompd_word_t openmp_5_1 = 202011;
inline constexpr ompd_word_t openmp_5_2 = 202111;
inline constexpr ompd_word_t openmp_6_0 = 202411;

// The versions that are spoken here, newest first: the order in which a library is offered them.
inline constexpr std::array<ompd_word_t, 4> versions{openmp_6_0, openmp_5_2, openmp_5_1,
                                                     openmp_5_0};

// What has a name in OMPD from a version on, and until another one drops it.
struct Name {
    std::string_view name;
    ompd_word_t since = openmp_5_0;
    ompd_word_t dropped = 0;  // 0: the newest version has it

    [[nodiscard]] constexpr bool is_in(ompd_word_t version) const noexcept {
        return since <= version && (dropped == 0 || version < dropped);
    }
};

// How an ICV's value is written.
enum class Values : std::uint8_t { number, truth, ability, binding, bytes, schedule, generator };

struct Icv : Name {
    Values values = Values::number;
    bool is_list = false;        // an item for each nesting level
    std::string_view same_as{};  // what an alias is another name of, "" of no alias
};

struct Scope : Name {
    ompd_scope_t number{};
    std::string_view words;  // in listings and JSON
};

// A function of the runtime that is called at the event NAME.
struct Event : Name {
    const char *function = nullptr;
};

struct ReturnCode : Name {
    ompd_rc_t number{};
    std::string_view meaning;
};

[[nodiscard]] std::span<const Icv> icvs() noexcept;
[[nodiscard]] std::span<const Scope> scopes() noexcept;
// Of OMPT, without "ompt_state_". Their numbers differ between versions: a library tells them.
[[nodiscard]] std::span<const Name> states() noexcept;
[[nodiscard]] std::span<const Event> events() noexcept;
[[nodiscard]] std::span<const ReturnCode> return_codes() noexcept;
// Of an OMPD library, without "ompd_". Those after 5.0 are optional: none is called here.
[[nodiscard]] std::span<const Name> functions() noexcept;

// The name that an ICV has in the specification, also where a library calls it by an alias.
[[nodiscard]] std::string_view icv_name(std::string_view name) noexcept;
[[nodiscard]] const Scope *scope(ompd_scope_t number) noexcept;

// Write the value of the ICV NAME, of which a library gives a NUMBER, a TEXT, or both for a list of
// numbers by nesting level; "" where it gives neither.
[[nodiscard]] std::string icv_in_words(std::string_view name, std::optional<ompd_word_t> number,
                                       const std::optional<std::string> &text);

}  // namespace gdb_ompd::specification
