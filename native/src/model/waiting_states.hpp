// SPDX-License-Identifier: Apache-2.0
// What a thread waits for, as far as its OMPT state tells (OpenMP 5.0, section 4.4.4.26).
#pragma once

#include <optional>
#include <string_view>

namespace gdb_ompd {

struct WaitingKind {
    const char *word;
    bool has_object;  // the state's wait identifier is an object's address
};

// STATE is a name without "ompt_state_". None of one in which a thread does not wait.
std::optional<WaitingKind> waiting_kind(std::string_view state);

}  // namespace gdb_ompd
