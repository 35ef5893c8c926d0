// SPDX-License-Identifier: Apache-2.0
// The calls that began regions, with the places that Python names.
#pragma once

#include "stop/region_calls.hpp"

#include "python_names.hpp"

namespace gdb_ompd {

class RegionReader {
public:
    RegionReader(WholeStacks &stacks, const Typed<"PlaceNames"> &names)
        : stacks_(stacks), names_(names), calls_(stacks, names_) {}

    [[nodiscard]] RegionCalls &calls() { return calls_; }
    [[nodiscard]] WholeStacks &stacks() { return stacks_; }
    [[nodiscard]] PythonNames &names() { return names_; }

private:
    WholeStacks &stacks_;
    PythonNames names_;
    RegionCalls calls_;
};

}  // namespace gdb_ompd
