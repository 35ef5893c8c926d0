// SPDX-License-Identifier: Apache-2.0
// Why a thread that the runtime's records have is not in the process.
//
// fork() copies the memory of a process, but of its threads the caller alone. The records of the
// others stay, also those of the C library. A thread that ends by itself says so there.
#pragma once

#include "code/function_code.hpp"
#include "runtimes/capabilities.hpp"

#include <cstdint>
#include <optional>

namespace gdb_ompd {

enum class Absence : std::uint8_t { unknown, ended, forked };

class AbsenceReader {
public:
    // IS_FORKED tells whether the process began by fork() and has executed no program since; none
    // where that is not known.
    AbsenceReader(code::FunctionReader &functions, std::optional<bool> is_forked)
        : functions_(functions), is_forked_(is_forked) {}

    [[nodiscard]] bool is_forked() const { return is_forked_ == true; }
    [[nodiscard]] Absence why(const AbsentThread &thread);

private:
    // Where a thread's descriptor says that it ends; none where the C library does not tell.
    [[nodiscard]] std::optional<std::uint64_t> place_of_end();

    code::FunctionReader &functions_;
    std::optional<bool> is_forked_;
    std::optional<std::optional<std::uint64_t>> place_of_end_;  // once it was looked for
};

}  // namespace gdb_ompd
