// SPDX-License-Identifier: Apache-2.0
// Where code that clang has made of target constructs is entered and left, in one file.
//
// No runtime announces where the host begins a construct. But clang makes a function of each
// region, which the host calls where there is no device for it, and of a device it calls one of the
// few functions for such.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace gdb_ompd::recovery {

struct TargetFunction {
    std::string name;
    std::string made_in;                 // the function that a region is in, as linkers have it
    int line = 0;                        // the region's
    std::vector<std::uint64_t> returns;  // how far its return instructions are from its begin
};

struct TargetFunctions {
    std::vector<TargetFunction> regions;
    std::vector<TargetFunction> calls;  // for a device, which the file has for others
    std::vector<std::string> wanted;    // those that its code calls
    bool is_of_gcc = false;             // its code calls GCC's runtime for target constructs
};

// Of the file at PATH. Throws FileError, or std::invalid_argument for what is no ELF file or is
// damaged where it has to be read.
TargetFunctions target_functions(const std::string &path);

}  // namespace gdb_ompd::recovery
