// SPDX-License-Identifier: Apache-2.0
#include "recovery/invariants.hpp"
#include "bindings.hpp"
#include "recovery/meta_symbols.hpp"

namespace gdb_ompd {

void init_invariants(py::module_ &module) {
    py::list names;
    for (const std::string_view name : recovery::stores_in_ompd_init) {
        names.append(name);
    }
    module.attr("META_SYMBOLS") = names;
    module.def("check_constants", &recovery::violated_invariants, py::arg("constants"),
               "Return one line for each rule of LLVM 13 to 24 that a layout, by name, "
               "breaks.\n\nThe rules are the declared order of a record's fields, types of a known "
               "size and offsets that are fixed by a specification (openmp/runtime/src/kmp.h, "
               "ompt-internal.h). Empty for a sound layout; TypeError for a negative number.");
}

}  // namespace gdb_ompd
