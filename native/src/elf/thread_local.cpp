// SPDX-License-Identifier: Apache-2.0
#include "elf/thread_local.hpp"

#include "elf/address_space.hpp"

namespace gdb_ompd {

namespace {

constexpr std::uint64_t unallocated = ~std::uint64_t{0};
constexpr std::uint64_t entry_size = 16;

// Where the thread pointer's block holds the address of the DTV (the thread's
// dynamic thread vector).
std::optional<std::uint64_t> dtv_offset(const std::string &machine) {
    if (machine == "x86-64") {
        return 8;
    }
    if (machine == "aarch64") {
        return 0;
    }
    return std::nullopt;
}

}  // namespace

std::optional<TargetAddr> thread_local_block(AddressSpace &space, const Module &module,
                                             TargetAddr thread_pointer) {
    // A static block's place never changes, and finding it reads no memory.
    if (module.tls_offset) {
        return TargetAddr{thread_pointer.value - static_cast<std::uint64_t>(*module.tls_offset)};
    }
    const auto offset = dtv_offset(space.layout().machine);
    if (!offset || module.tls_module_id == 0) {
        return std::nullopt;
    }
    const TargetAddr dtv = space.read_pointer(thread_pointer + *offset);
    // A thread that has not touched a module loaded after its start may have a
    // vector that is too short for it; the entry before the first is its length.
    const std::uint64_t length = space.read_uint(TargetAddr{dtv.value - entry_size}, 8);
    if (module.tls_module_id > length) {
        return std::nullopt;
    }
    const TargetAddr block = space.read_pointer(dtv + entry_size * module.tls_module_id);
    if (block.value == unallocated || block.value == 0) {
        return std::nullopt;
    }
    return block;
}

}  // namespace gdb_ompd
