// SPDX-License-Identifier: Apache-2.0
// The 145 layout variables, from the code of the runtime's ompd_init()
// (openmp/runtime/src/ompd-specific.cpp), which stores a constant into each.
#pragma once

#include "code/code_index.hpp"
#include "recovery/findings.hpp"

#include <map>
#include <optional>
#include <string>

namespace gdb_ompd::recovery {

struct OmpdInit {
    code::FunctionNumber function = 0;
    std::vector<code::Effect> effects;
    std::size_t after_constants = 0;  // the effects from here on come after the last constant
    bool ascending = true;            // the order of the definitions in memory
    std::map<std::string, std::uint64_t> constants;
};

// Whether the library was built with OMPD at all: a cheap look.
bool has_ompd_support(const code::Image &image);

// None, and a reason among the findings, if the function or its constants are
// not as expected.
std::optional<OmpdInit> find_layout_variables(const code::CodeIndex &code, Findings &findings);

}  // namespace gdb_ompd::recovery
