// SPDX-License-Identifier: Apache-2.0
// What the runtime records of loops whose iterations it shares out one after the other
// (openmp/runtime/src/kmp_dispatch.cpp).
#pragma once

#include "runtimes/capabilities.hpp"
#include "runtimes/llvm/private_fields.hpp"
#include "runtimes/llvm/records.hpp"

#include <optional>
#include <string>

namespace gdb_ompd::llvm {

// Throws UnknownField when made.
class LoopRecords {
public:
    explicit LoopRecords(const PrivateFields &fields);

    // The loop that the thread with that record is in; none where it is in none. Throws
    // Inconsistent where the record is damaged.
    [[nodiscard]] std::optional<LoopRecord> read(const Memory &memory, TargetAddr thread) const;

private:
    struct Bounds {
        FieldPlace count, upper, lower, step, trips, chunk;  // a thread's
        FieldPlace given;                                    // the team's
    };
    [[nodiscard]] static Bounds bounds(const PrivateFields &fields, const std::string &width);

    FieldPlace dispatch_, own_, shared_;
    FieldPlace own_bounds_, shared_bounds_, schedule_, type_size_;
    Bounds narrow_, wide_;
};

}  // namespace gdb_ompd::llvm
