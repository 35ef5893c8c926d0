// SPDX-License-Identifier: Apache-2.0
#include "code/architecture.hpp"

#include <elf.h>

namespace gdb_ompd::code {

std::unique_ptr<Architecture> make_architecture(unsigned machine) {
    switch (machine) {
    case EM_X86_64:
        return make_x86_64();
    case EM_AARCH64:
        return make_aarch64();
    default:
        return nullptr;
    }
}

}  // namespace gdb_ompd::code
