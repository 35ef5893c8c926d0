// SPDX-License-Identifier: Apache-2.0
#include "target.hpp"

#include <cstring>

namespace libgompd {

const ompd_callbacks_t *callbacks = nullptr;

namespace {

void require(ompd_rc_t code) {
    if (code != ompd_rc_ok) {
        throw Refused{code};
    }
}

}  // namespace

bool Target::can_read(std::uint64_t address, void *out, std::size_t size) const noexcept {
    const ompd_address_t from{ompd_segment_none, address};
    return callbacks->read_memory(context_, nullptr, &from, size, out) == ompd_rc_ok;
}

void Target::read(std::uint64_t address, void *out, std::size_t size) const {
    const ompd_address_t from{ompd_segment_none, address};
    require(callbacks->read_memory(context_, nullptr, &from, size, out));
}

std::uint64_t Target::number(std::uint64_t address, std::size_t width) const {
    Bytes<8> found;
    read(address, found.raw.data(), width);
    return found.number(0, width);
}

std::optional<std::uint64_t> Target::symbol(const char *name, const char *file,
                                            ompd_thread_context_t *thread) const {
    ompd_address_t found{};
    const ompd_rc_t code = callbacks->symbol_addr_lookup(context_, thread, name, &found, file);
    // LLVM's plugin for GDB says ok and -1 where there is none.
    if (code != ompd_rc_ok || found.address == 0 || found.address == ~ompd_addr_t{0}) {
        return std::nullopt;
    }
    return found.address;
}

bool Target::string(std::uint64_t address, std::span<char> out) const {
    const ompd_address_t from{ompd_segment_none, address};
    const ompd_rc_t code = callbacks->read_string(context_, nullptr, &from, out.size(), out.data());
    if (code == ompd_rc_incomplete) {
        return false;
    }
    require(code);
    return std::memchr(out.data(), '\0', out.size()) != nullptr;
}

ompd_thread_context_t *Target::thread(ompd_thread_id_t kind, ompd_size_t size,
                                      const void *id) const {
    ompd_thread_context_t *found = nullptr;
    require(callbacks->get_thread_context_for_thread_id(context_, kind, size, id, &found));
    return found;
}

void *allocate(std::size_t size) {
    void *block = nullptr;
    require(callbacks->alloc_memory(size, &block));
    if (block == nullptr) {
        throw Refused{ompd_rc_nomem};
    }
    return block;
}

const char *lend(const char *text) {
    const std::size_t size = std::strlen(text) + 1;
    return static_cast<const char *>(std::memcpy(allocate(size), text, size));
}

void print(const char *text) noexcept {
    if (callbacks != nullptr && callbacks->print_string != nullptr) {
        static_cast<void>(callbacks->print_string(text, 0));
    }
}

}  // namespace libgompd
