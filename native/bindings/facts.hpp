// SPDX-License-Identifier: Apache-2.0
// What is read of threads at one stop, as Python and native code hand it to each other.
#pragma once

#include "stop/whole_stacks.hpp"

#include "frames.hpp"

#include <map>
#include <optional>
#include <vector>

namespace gdb_ompd {

// By the unwinder and the STACKS by GDB's numbers; ASK returns the debugger's frames.
class PythonStacks : public WholeStacks {
public:
    using Stacks = Typed<"dict[int, Optional[ThreadStack]]">;
    using Ask = Typed<"Callable[[int], Sequence[GivenFrame]]">;
    PythonStacks(WaitReader &reader, std::optional<Unwinder *> unwinder, const Stacks &stacks,
                 const Ask &ask)
        : WholeStacks(reader), unwinder_(unwinder.value_or(nullptr)), stacks_(stacks), ask_(ask) {}

    [[nodiscard]] Frames unwound(int gdb_num, Unwind unwind) override;

protected:
    [[nodiscard]] Frames asked(int gdb_num) override {
        return frames_of(reader(), ask_(gdb_num).cast<std::vector<GivenFrame>>());
    }

private:
    Unwinder *unwinder_;
    py::dict stacks_;
    py::function ask_;
};

void init_stop_waits(py::module_ &module);
void init_all_runtimes(py::module_ &module);
void init_loops(py::module_ &module);

}  // namespace gdb_ompd
