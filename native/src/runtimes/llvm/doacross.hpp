// SPDX-License-Identifier: Apache-2.0
// What the runtime records of loops whose iterations wait for each other
// (openmp/runtime/src/kmp_csupport.cpp, __kmpc_doacross_init).
#pragma once

#include "runtimes/capabilities.hpp"
#include "runtimes/llvm/members.hpp"
#include "runtimes/llvm/private_fields.hpp"

#include <cstdint>
#include <optional>

namespace gdb_ompd::llvm {

// Throws UnknownField when made; what memory does not tell is none.
class Doacross {
public:
    explicit Doacross(const PrivateFields &fields);

    // The iteration that THREAD waits for, whose loop variables are at VECTOR.
    [[nodiscard]] std::optional<Sink> sink(const Memory &memory, const OmpThread &thread,
                                           TargetAddr vector, const Members &members) const;

private:
    [[nodiscard]] bool has_left(const Memory &memory, const OmpThread &member,
                                const OmpThread &thread) const;
    [[nodiscard]] TargetAddr record(const Memory &memory, const OmpThread &thread) const;

    FieldPlace dispatch_;                // of kmp_base_info_t
    FieldPlace begun_, flags_, bounds_;  // of kmp_disp_t
};

}  // namespace gdb_ompd::llvm
