// SPDX-License-Identifier: Apache-2.0
#include "code/architecture.hpp"

#include <elf.h>

#include <charconv>

namespace gdb_ompd::code {

Register numbered(std::string_view name, std::string_view prefix, Register first, unsigned count) {
    if (!name.starts_with(prefix)) {
        return no_register;
    }
    name.remove_prefix(prefix.size());
    const char *const end = name.data() + name.size();
    unsigned number = count;
    const auto read = std::from_chars(name.data(), end, number);
    return read.ec == std::errc() && read.ptr == end && number < count
               ? static_cast<Register>(first + number)
               : no_register;
}

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

std::unique_ptr<Architecture> make_architecture(std::string_view machine) {
    return machine == "x86-64" ? make_x86_64() : machine == "aarch64" ? make_aarch64() : nullptr;
}

}  // namespace gdb_ompd::code
