// SPDX-License-Identifier: Apache-2.0
// What the constants of every 64-bit runtime of LLVM 13 to 24 have in common.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace gdb_ompd::recovery {

using Constants = std::map<std::string, std::uint64_t>;

// One line of words for each rule that the constants of ompd_init(), by name,
// break; none for a sound layout. A name that is missing breaks a rule, too.
// The rules are the order in which a record's fields are declared (openmp/runtime/src/kmp.h,
// ompt-internal.h), and types of a known size. Some offsets are fixed by a specification or by the
// compilers' interface.
[[nodiscard]] std::vector<std::string> violated_invariants(const Constants &constants);

}  // namespace gdb_ompd::recovery
