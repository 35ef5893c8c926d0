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
    module.def("check_constants", &recovery::violated_invariants, py::arg("constants"));
}

}  // namespace gdb_ompd
