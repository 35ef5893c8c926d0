// SPDX-License-Identifier: Apache-2.0
// What is read of threads at one stop, as Python and native code hand it to each other.
#pragma once

#include "stop/hang_facts.hpp"
#include "stop/known_runtimes.hpp"
#include "stop/task_ids.hpp"

#include "frames.hpp"

#include <map>
#include <optional>
#include <vector>

namespace gdb_ompd {

// All frames of threads at one stop: by the unwinder and the STACKS by number or, where they cannot
// be told so, as the debugger gives them.
class WholeStacks {
public:
    using Stacks = Typed<"dict[int, Optional[ThreadStack]]">;
    using Ask = Typed<"Callable[[int], Sequence[GivenFrame]]">;
    WholeStacks(WaitReader &reader, std::optional<Unwinder *> unwinder, const Stacks &stacks,
                const Ask &ask)
        : reader_(reader), unwinder_(unwinder.value_or(nullptr)), stacks_(stacks), ask_(ask) {}

    using Frames = std::vector<code::Frame>;
    // Nothing where the unwinder does not tell them.
    [[nodiscard]] Frames unwound(int gdb_num,
                                 Frames (*unwind)(Unwinder &, ThreadStack &) = whole_frames);
    [[nodiscard]] Frames of(int gdb_num);
    // No further than to the user's innermost frame.
    [[nodiscard]] Frames inner(int gdb_num);
    // As WaitReader::read_all has it of the frames around the user's innermost; none where there is
    // no frame.
    [[nodiscard]] std::optional<WaitReader::Read> read(int gdb_num, bool by_debugger);
    // See WaitReader.
    [[nodiscard]] std::vector<CalledBody> bodies(int gdb_num) {
        return reader_.bodies(of(gdb_num));
    }
    [[nodiscard]] WaitReader &reader() { return reader_; }

private:
    // FRAMES that unwound() returned; the debugger's where there are none.
    [[nodiscard]] Frames or_asked(Frames frames, int gdb_num);

    WaitReader &reader_;
    Unwinder *unwinder_;
    py::dict stacks_;
    py::function ask_;
};

// The identities of threads' tasks, by the threads' GDB numbers.
struct ThreadTasks {
    std::map<int, TaskIds> of_threads;
};

void init_facts(py::module_ &module);
void init_loops(py::module_ &module);

}  // namespace gdb_ompd
