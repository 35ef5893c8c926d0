// SPDX-License-Identifier: Apache-2.0
#include "elf/thread_local.hpp"

#include "elf/address_space.hpp"

namespace gdb_ompd {

namespace {

constexpr std::uint64_t unallocated = ~std::uint64_t{0};
constexpr std::uint64_t entry_size = 16;
constexpr std::uint64_t header_size = 16;  // what is between the thread pointer and blocks after it

// By the ABI of thread-local storage, of each machine.
struct Variant {
    // Where the thread pointer's block holds the address of the DTV (the thread's
    // dynamic thread vector).
    std::uint64_t vector;
    bool blocks_are_before;  // the static ones: before the thread pointer
};

std::optional<Variant> variant_of(const std::string &machine) {
    if (machine == "x86-64") {
        return Variant{8, true};
    }
    if (machine == "aarch64") {
        return Variant{0, false};
    }
    return std::nullopt;
}

}  // namespace

std::optional<std::int64_t> executables_offset(const ElfImage &elf) {
    const auto variant = variant_of(elf.headers().machine);
    if (!variant) {
        return std::nullopt;
    }
    const std::uint64_t alignment = elf.headers().tls_alignment;
    const std::uint64_t size = variant->blocks_are_before ? elf.headers().tls_size : header_size;
    return static_cast<std::int64_t>((size + alignment - 1) / alignment * alignment);
}

ThreadLocalBlock thread_local_block(AddressSpace &space, const Module &module,
                                    TargetAddr thread_pointer) {
    const auto variant = variant_of(space.layout().machine);
    if (!variant) {
        return {};
    }
    // A static block's place never changes, and finding it reads no memory.
    if (module.tls_offset) {
        const auto offset = static_cast<std::uint64_t>(*module.tls_offset);
        return {TargetAddr{variant->blocks_are_before ? thread_pointer.value - offset
                                                      : thread_pointer.value + offset}};
    }
    if (module.tls_module_id == 0) {
        return {};
    }
    const TargetAddr dtv = space.read_pointer(thread_pointer + variant->vector);
    // A thread that has not touched a module loaded after its start may have a
    // vector that is too short for it; the entry before the first is its length.
    const std::uint64_t length = space.read_uint(TargetAddr{dtv.value - entry_size}, 8);
    if (module.tls_module_id > length) {
        return {std::nullopt, true};
    }
    const TargetAddr block = space.read_pointer(dtv + entry_size * module.tls_module_id);
    if (block.value == unallocated || block.value == 0) {
        return {std::nullopt, true};
    }
    return {block};
}

}  // namespace gdb_ompd
