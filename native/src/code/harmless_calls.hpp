// SPDX-License-Identifier: Apache-2.0
// Functions whose calls change nothing that the program can see.
#pragma once

#include "code/user_calls.hpp"

#include <cstdint>
#include <string_view>

namespace gdb_ompd::code {

// One of the system's or of a runtime's by its plain name, and what it returns. A RECORD of SIZE
// bytes is excepted, to which the argument with that number points.
struct Harmless {
    enum class Result : std::uint8_t { unknown, zero, self, thread_num, num_threads };

    std::string_view name;
    Result result = Result::unknown;
    int record = -1;
    unsigned size = 0;
    bool tells_time = false;
};

// That which an instruction calls; null where it is not known to be one.
[[nodiscard]] const Harmless *harmless_call(UserCalls &calls, const Instruction &call);

}  // namespace gdb_ompd::code
