// SPDX-License-Identifier: Apache-2.0
// What single runtimes add to the bindings of readers.
#pragma once

#include "bindings.hpp"

namespace gdb_ompd {

void init_events(py::module_ &module);
void init_gnu(py::module_ &module);
void init_runtime(py::module_ &module);

}  // namespace gdb_ompd
