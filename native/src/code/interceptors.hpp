// SPDX-License-Identifier: Apache-2.0
// Code that a tool has put between the user's code and what that calls: a sanitizer's or a
// profiler's functions. They have the names of the system's, of MPI's or of OpenMP's.
#pragma once

#include "elf/module.hpp"

#include <cstdint>
#include <utility>
#include <vector>

namespace gdb_ompd::code {

// Those libraries among MODULES, which are in link order and begin with the executable, that
// define functions of OpenMP's, of the system's or of MPI's and call what these hide.
Modules intercepting_libraries(const Modules &modules);

using CodeRanges = std::vector<std::pair<std::uint64_t, std::uint64_t>>;

// Where the functions of a sanitizer are that is linked into FILE: clang does so. In order.
CodeRanges sanitizer_code(const Module &file);

// Where the C library's functions are that is linked into FILE, behind the runtime's.
CodeRanges linked_in_libc(const Module &file);

}  // namespace gdb_ompd::code
