// SPDX-License-Identifier: Apache-2.0
// The names of the variables by which the runtime publishes its layout
// (openmp/runtime/src/ompd-specific.h, the same in LLVM 13 to 24).
#pragma once

#include <string>
#include <vector>

namespace gdb_ompd::recovery {

// In the order in which ompd_init() stores into them.
const std::vector<std::string> &meta_symbols_in_store_order();
// In the order in which they are defined.
const std::vector<std::string> &meta_symbols_in_definition_order();

}  // namespace gdb_ompd::recovery
