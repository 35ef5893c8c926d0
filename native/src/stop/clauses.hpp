// SPDX-License-Identifier: Apache-2.0
// The clauses of a directive's text that decide how many threads a team has.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace gdb_ompd {

struct SizeClauses {
    bool has_if = false;  // one for the parallel region
    bool has_num_threads = false;
    std::optional<std::int64_t> threads{};  // what num_threads asks for, if that is a plain number

    bool operator==(const SizeClauses &) const = default;
};

SizeClauses size_clauses(std::string_view directive);

// What is in the parentheses of these clauses, empty for none.
struct SizeArguments {
    std::string condition, threads;
};

SizeArguments size_arguments(std::string_view directive);

}  // namespace gdb_ompd
