// SPDX-License-Identifier: Apache-2.0
#include "elf/address_space.hpp"
#include "runtimes/llvm/layout.hpp"

#include "bindings.hpp"

namespace gdb_ompd {

void init_llvm(py::module_ &module) {
    module.def(
        "llvm_layout", [](AddressSpace &space) { return llvm::Layout::read(space).values(); },
        py::arg("space"));
}

}  // namespace gdb_ompd
