// SPDX-License-Identifier: Apache-2.0
// The runtime's table of indirect locks (openmp/runtime/src/kmp_lock.cpp), from the function
// that makes it.
#pragma once

#include "code/code_index.hpp"
#include "recovery/findings.hpp"

#include <cstdint>

namespace gdb_ompd::recovery {

inline constexpr const char *lock_table = "__kmp_i_lock_table";
// kmp_indirect_lock_table_t: {table, nrow_ptrs, next, next_table}.
inline constexpr std::uint64_t lock_table_size = 24;

// OMPD needs it not: where it is not found, nothing is refused.
void find_lock_table(const code::CodeIndex &code, Findings &findings);

}  // namespace gdb_ompd::recovery
