// SPDX-License-Identifier: Apache-2.0
// Where a thread has its own storage.
#pragma once

#include "elf/address_space.hpp"
#include "model/facts.hpp"

#include <optional>

namespace gdb_ompd {

// None where the debugger cannot tell it.
[[nodiscard]] inline std::optional<TargetAddr> thread_pointer(AddressSpace &space,
                                                              const NativeThread &thread) {
    const auto known = thread.pthread_id ? space.pthread_pointer(*thread.pthread_id) : std::nullopt;
    const auto kind = thread.pthread_id ? ompd_thread_id_pthread : ompd_thread_id_lwp;
    return known ? known
                 : space.target().thread_pointer(kind, thread.pthread_id.value_or(thread.lwp));
}

}  // namespace gdb_ompd
