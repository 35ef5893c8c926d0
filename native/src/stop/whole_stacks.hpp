// SPDX-License-Identifier: Apache-2.0
// All frames of threads at one stop: by the unwinder or, where it does not tell them, as the
// debugger has them.
#pragma once

#include "stop/waits.hpp"

#include <map>
#include <memory>
#include <optional>
#include <vector>

namespace gdb_ompd {

class WholeStacks {
public:
    using Frames = std::vector<code::Frame>;
    using Unwind = Frames (*)(Unwinder &, ThreadStack &);
    using Read = std::shared_ptr<const WaitReader::Read>;  // null for a thread that is not read

    // UNWINDER is null where only the debugger unwinds. Both outlive it.
    WholeStacks(WaitReader &reader, Unwinder *unwinder) : reader_(reader), unwinder_(unwinder) {}
    WholeStacks(const WholeStacks &) = delete;
    WholeStacks &operator=(const WholeStacks &) = delete;
    virtual ~WholeStacks() = default;

    // Nothing where the unwinder does not tell them.
    [[nodiscard]] virtual Frames unwound(int gdb_num, Unwind unwind) = 0;
    // The debugger's, with those of functions that are inlined or have ended with a jump.
    [[nodiscard]] virtual Frames by_debugger(int gdb_num) = 0;
    // Those of them in which a place in the user's code is looked for.
    [[nodiscard]] virtual Frames around_by_debugger(int gdb_num) = 0;
    // What the unwinder's frames up to the user's code tell of threads, of all at once.
    [[nodiscard]] virtual std::vector<Read> reads(const std::vector<int> &gdb_nums) = 0;
    // The user's code that threads execute, of a call its last byte, of those whose stacks the
    // unwinder tells; none where there is no such frame.
    [[nodiscard]] virtual std::map<int, code::Value> executed(const std::vector<int> &gdb_nums) = 0;

    [[nodiscard]] Frames of(int gdb_num) {
        return or_debuggers(unwound(gdb_num, whole_frames), gdb_num);
    }
    // The frames around the user's innermost one, also of a stack whose end is not known.
    [[nodiscard]] Frames around(int gdb_num) {
        return or_debuggers(unwound(gdb_num, frames_around_user), gdb_num);
    }
    // As WaitReader::read_all has it of the frames around the user's innermost; none where there is
    // no frame.
    [[nodiscard]] std::optional<WaitReader::Read> read(int gdb_num, bool is_debuggers) {
        const Frames frames =
            is_debuggers ? around_by_debugger(gdb_num) : unwound(gdb_num, frames_around_user);
        return frames.empty() ? std::nullopt : std::optional(reader_.read_all(frames));
    }
    // See WaitReader.
    [[nodiscard]] std::vector<CalledBody> bodies(int gdb_num) {
        return reader_.bodies().called(of(gdb_num));
    }
    [[nodiscard]] WaitReader &reader() { return reader_; }
    [[nodiscard]] Unwinder *unwinder() const { return unwinder_; }

private:
    [[nodiscard]] Frames or_debuggers(Frames frames, int gdb_num) {
        if (frames.empty()) {
            return by_debugger(gdb_num);
        }
        return frames;
    }

    WaitReader &reader_;
    Unwinder *unwinder_;
};

}  // namespace gdb_ompd
