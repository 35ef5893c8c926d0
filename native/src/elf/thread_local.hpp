// SPDX-License-Identifier: Apache-2.0
// Where a thread keeps a module's thread-local variables.
#pragma once

#include "base/target.hpp"
#include "elf/module.hpp"

#include <optional>

namespace gdb_ompd {

class AddressSpace;

struct ThreadLocalBlock {
    std::optional<TargetAddr> address;
    // The thread has allocated none yet: it does so when it first uses a variable of the module.
    bool is_unallocated = false;
};

// Neither is said where neither of the module's two TLS numbers is known.
ThreadLocalBlock thread_local_block(AddressSpace &space, const Module &module,
                                    TargetAddr thread_pointer);

// Between the thread pointer and the block of the executable ELF, by the ABI: the dynamic linker's
// list does not say it of a program that has none. None for a machine whose ABI is not known.
std::optional<std::int64_t> executables_offset(const ElfImage &elf);

}  // namespace gdb_ompd
