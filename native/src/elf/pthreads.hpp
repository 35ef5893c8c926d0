// SPDX-License-Identifier: Apache-2.0
// The threads of a process as its C library lists them: which pthread_t has which number of the
// kernel's. It is what libthread_db reads, for a debugger that has none for its target.
#pragma once

#include "elf/module.hpp"

#include <cstdint>
#include <unordered_map>

namespace gdb_ompd {

class AddressSpace;

// The pthread_t of each thread of glibc's (2.34 and later) by the kernel's number. Empty for
// another C library, where none of MODULES is known to be one, and where its list cannot be read.
[[nodiscard]] std::unordered_map<std::uint64_t, std::uint64_t>
listed_pthreads(AddressSpace &space, const Modules &modules);

}  // namespace gdb_ompd
