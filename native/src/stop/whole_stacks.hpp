// SPDX-License-Identifier: Apache-2.0
// All frames of threads at one stop: by the unwinder or, where it does not tell them, as the
// debugger has them.
#pragma once

#include "stop/targets.hpp"

#include <optional>
#include <vector>

namespace gdb_ompd {

class WholeStacks {
public:
    using Frames = std::vector<code::Frame>;
    using Unwind = Frames (*)(Unwinder &, ThreadStack &);

    explicit WholeStacks(WaitReader &reader) : reader_(reader) {}
    WholeStacks(const WholeStacks &) = delete;
    WholeStacks &operator=(const WholeStacks &) = delete;
    virtual ~WholeStacks() = default;

    // Nothing where the unwinder does not tell them.
    [[nodiscard]] virtual Frames unwound(int gdb_num, Unwind unwind) = 0;
    [[nodiscard]] Frames of(int gdb_num) {
        return or_asked(unwound(gdb_num, whole_frames), gdb_num);
    }
    // No further than to the user's innermost frame.
    [[nodiscard]] Frames inner(int gdb_num) {
        return or_asked(unwound(gdb_num, frames_to_user), gdb_num);
    }
    // As WaitReader::read_all has it of the frames around the user's innermost; none where there is
    // no frame.
    [[nodiscard]] std::optional<WaitReader::Read> read(int gdb_num, bool by_debugger) {
        const Frames frames = by_debugger ? asked(gdb_num) : unwound(gdb_num, frames_around_user);
        return frames.empty() ? std::nullopt : std::optional(reader_.read_all(frames));
    }
    // See WaitReader.
    [[nodiscard]] std::vector<CalledBody> bodies(int gdb_num) {
        return reader_.bodies(of(gdb_num));
    }
    // The target constructs that a thread is in.
    [[nodiscard]] ThreadTargets targets(int gdb_num) { return targets_.of(of(gdb_num)); }
    [[nodiscard]] WaitReader &reader() { return reader_; }

protected:
    // The debugger's.
    [[nodiscard]] virtual Frames asked(int gdb_num) = 0;

private:
    [[nodiscard]] Frames or_asked(Frames frames, int gdb_num) {
        if (frames.empty()) {
            return asked(gdb_num);
        }
        return frames;
    }

    WaitReader &reader_;
    TargetReader targets_{reader_};
};

}  // namespace gdb_ompd
