// SPDX-License-Identifier: Apache-2.0
// The functions and variables by which the runtime announces events
// (openmp/runtime/src/ompd-specific.cpp), found beside ompd_init().
#pragma once

#include "recovery/findings.hpp"
#include "recovery/ompd_init.hpp"

namespace gdb_ompd::recovery {

void find_event_symbols(const code::CodeIndex &code, const OmpdInit &init, Findings &findings);

}  // namespace gdb_ompd::recovery
