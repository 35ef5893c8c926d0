// SPDX-License-Identifier: Apache-2.0
// The threads of a process as its C library lists them: which pthread_t has which number of the
// kernel's. It is what libthread_db reads, for a debugger that has none for its target.
#pragma once

#include "elf/module.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <unordered_map>

namespace gdb_ompd {

class AddressSpace;

using PthreadByLwp = std::unordered_map<std::uint64_t, std::uint64_t>;
// A thread's pointer to its own storage, by the kernel's number of it; none where the debugger
// does not have it.
using ThreadPointers = std::function<std::optional<std::uint64_t>(std::uint64_t)>;

// The pthread_t of glibc's threads (2.34 and later) with the LWPS that the debugger has. Empty for
// another C library, where none of MODULES is known to be one, and where its list cannot be read.
// In a container the C library has other numbers: where one is not in its list, POINTERS tell, and
// by its number only a thread that has none is known.
[[nodiscard]] PthreadByLwp pthreads_of(AddressSpace &space, const Modules &modules,
                                       std::span<const std::uint64_t> lwps,
                                       const ThreadPointers &pointers);

}  // namespace gdb_ompd
