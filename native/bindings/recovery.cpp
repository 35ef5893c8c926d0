// SPDX-License-Identifier: Apache-2.0
#include "recovery/recover.hpp"

#include "bindings.hpp"

namespace gdb_ompd {

void init_recovery(py::module_ &module) {
    using recovery::Recovery;
    py::class_<Recovery>(module, "Recovery")
        .def_readonly("architecture", &Recovery::architecture)
        .def_readonly("symbols", &Recovery::symbols)
        .def_readonly("constants", &Recovery::constants)
        .def_readonly("reasons", &Recovery::reasons);
    module.def(
        "recover", [](const FileName &path) { return recovery::recover(ElfFile(path.bytes)); },
        py::arg("path"));
}

}  // namespace gdb_ompd
