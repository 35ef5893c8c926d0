// SPDX-License-Identifier: Apache-2.0
// What is asked of one place in the code.
#pragma once

#include "code/user_calls.hpp"

#include <cstdint>
#include <memory>
#include <vector>

namespace gdb_ompd {

using ModuleList = std::vector<std::shared_ptr<Module>>;

inline Modules modules_of(const ModuleList &list) { return {list.begin(), list.end()}; }

struct CodeAt {
    code::UserCalls &calls;
    std::uint64_t pc;

    [[nodiscard]] code::CodeAround around() const { return calls.code_around(pc); }
};

struct CallBefore {
    code::UserCalls &calls;
    std::uint64_t return_address;
};

}  // namespace gdb_ompd
