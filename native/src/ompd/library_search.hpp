// SPDX-License-Identifier: Apache-2.0
// Where the OMPD library for a mapped runtime is.
//
// The runtime says so by `ompd_dll_locations` (OpenMP 5.0, section 5.2.2), a list of paths and bare
// names in the program's memory. A bare name is looked for beside the runtime and in the system's
// folders, never along the debugger's own path. Whether what is found may be loaded is not the
// program's to say.
#pragma once

#include "ompd/trust.hpp"

namespace gdb_ompd {

struct Refused {
    std::string path;
    std::string real;
    std::string why;
};

// The OMPD libraries there are, best first, and those that must not be loaded.
struct Candidates {
    std::vector<std::string> paths;
    std::vector<Refused> refused;
};

// Those for the RUNTIME's file, which names NAMED. What it names comes first, then what is beside
// it, then what is in the folders PLACES of the system's, which may be patterns. Last is a library
// that would load an OpenMP runtime into the debugger (LLVM 15 to 17). One library can serve other
// versions, since every offset comes from the program.
Candidates find_libraries(const std::optional<std::string> &runtime,
                          const std::vector<std::string> &named, const Trust &trust,
                          const std::vector<std::string> &places);

}  // namespace gdb_ompd
