// SPDX-License-Identifier: Apache-2.0
// Which files are OpenMP runtimes, by what they define.
#pragma once

#include "elf/elf.hpp"

namespace gdb_ompd {

// Whose a runtime is: LLVM's, GCC's, or another vendor's with an OMPD library.
enum class Family { llvm, gnu, other };

// Whose the runtime in a file is, none for a file without one. A symbol that only this runtime has
// tells it, or else the variable that every runtime with an OMPD library has (OpenMP 5.0, 5.2.2). A
// program that only uses a runtime does not define it, and needs its file; an EXECUTABLE with the
// runtime linked into it defines it, and exports nothing.
std::optional<Family> family_of(const ElfImage &elf, bool is_executable);

// Whether a shared library is LLVM's runtime without what OMPD needs, or GCC's without names of
// where its events are.
bool is_stripped_runtime(const ElfImage &elf);

}  // namespace gdb_ompd
