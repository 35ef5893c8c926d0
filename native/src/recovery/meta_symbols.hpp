// SPDX-License-Identifier: Apache-2.0
// The 145 variables by which LLVM's runtime publishes its layout to OMPD, in
// the two orders in which a stripped file shows them.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

namespace gdb_ompd::recovery {

inline constexpr std::size_t meta_symbol_count = 145;
using MetaSymbols = std::array<std::string_view, meta_symbol_count>;

// The order in which ompd_init() stores them: offsets, task flags, sizes of
// fields, sizes of types and variables (openmp/runtime/src/ompd-specific.cpp).
extern const MetaSymbols stores_in_ompd_init;

// The order of their definitions there, which the addresses follow (upwards
// from clang, downwards from gcc): offsets, sizes of fields, task flags, sizes
// of types and variables.
extern const MetaSymbols definitions_in_memory;

}  // namespace gdb_ompd::recovery
