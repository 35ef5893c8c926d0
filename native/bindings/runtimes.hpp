// SPDX-License-Identifier: Apache-2.0
// What the bindings of the runtimes' readers share.
#pragma once

#include "model/facts.hpp"

#include "bindings.hpp"

#include <vector>

namespace gdb_ompd {

// Threads as Python's listing of the debugger's has them.
NativeThread to_native(const py::handle &row);
std::vector<NativeThread> to_natives(const py::sequence &rows);
// The model's word for a kind of task.
py::object to_python(TaskKind kind);
py::object to_python(Whereabouts where);

void init_events(py::module_ &module);
void init_gnu(py::module_ &module);

}  // namespace gdb_ompd
