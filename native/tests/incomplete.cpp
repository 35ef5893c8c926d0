// SPDX-License-Identifier: Apache-2.0
// An OMPD library of which only one function is there.
#include "base/ompd_types.h"

extern "C" __attribute__((visibility("default"))) ompd_rc_t ompd_finalize() { return ompd_rc_ok; }
