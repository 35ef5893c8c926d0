// SPDX-License-Identifier: Apache-2.0
#include "recovery/recover.hpp"

#include "bindings.hpp"

namespace gdb_ompd {

void init_recovery(py::module_ &module) {
    using recovery::Recovery;
    py::class_<Recovery>(module, "Recovery",
                         "The symbols of a stripped libomp, read from its code. All or nothing.")
        .def_readonly(
            "architecture", &Recovery::architecture,
            "Either ``x86-64`` or ``aarch64``; empty for a processor that is not understood.")
        .def_readonly("symbols", &Recovery::symbols, "By name; empty if the file is refused.")
        .def_readonly("constants", &Recovery::constants,
                      "What ompd_init() stores into each of META_SYMBOLS.")
        .def_readonly("reasons", &Recovery::reasons,
                      "Why the file is refused; empty if it is not.");
    module.def(
        "recover", [](const FileName &path) { return recovery::recover(ElfFile(path.bytes)); },
        py::arg("path"),
        "Find the symbols that OMPD needs in a libomp that was stripped of them; in GCC's runtime "
        "the places of events, several of one name, with what is told of each as "
        "constants.\n\nOnly the file is read. Raises OSError, or ValueError for what is no ELF "
        "file or is damaged where it had to be read.");
}

}  // namespace gdb_ompd
