// SPDX-License-Identifier: Apache-2.0
// Whether the symbols recovered from a stripped libomp are those of the running one.
//
// A recovered address that is wrong would be read without an error. So what the program's memory
// holds there is compared with what the file's code says, once for each layout. Compared are the
// 145 constants, the records of a few threads, and the ranges of the settings. Sources:
// openmp/runtime/src, ompd-specific.cpp (constants), kmp_settings.cpp (settings, __kmp_env_dump),
// z_Linux_util.cpp (ds_thread).
#pragma once

#include "elf/module.hpp"
#include "model/facts.hpp"
#include "runtimes/llvm/layout.hpp"

#include <span>

namespace gdb_ompd::llvm {

// Compares CONSTANTS, what the code of MODULE's ompd_init stores, with the program, in which
// it has run. Throws Inconsistent with the first difference.
void prove_constants(AddressSpace &space, const Module &module, const Layout::Values &constants);

// The same of all symbols of MODULE, which were recovered from its file. Returns how many
// threads' records proved __kmp_threads: 0 while the runtime knows none of THREADS, so that
// it is worth asking again.
[[nodiscard]] int prove_symbols(AddressSpace &space, const Module &module,
                                const Layout::Values &constants,
                                std::span<const NativeThread> threads);

}  // namespace gdb_ompd::llvm
