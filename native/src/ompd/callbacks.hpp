// SPDX-License-Identifier: Apache-2.0
// The callback table of OMPD (section 5.4).
#pragma once

#include "base/ompd_types.h"

namespace gdb_ompd {

// A library keeps a pointer to the table, not a copy: this one lives for ever.
const ompd_callbacks_t &callback_table() noexcept;

}  // namespace gdb_ompd
