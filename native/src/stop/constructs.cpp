// SPDX-License-Identifier: Apache-2.0
#include "stop/constructs.hpp"

#include <algorithm>
#include <functional>
#include <iterator>

namespace gdb_ompd {

using code::Made;
using code::Owner;

namespace {

bool is_runtime(NamedFrames frames) {
    return std::ranges::any_of(frames, [](const auto &one) { return one.owner == Owner::runtime; });
}

// How many of the innermost frames are before the runtime's.
std::size_t before_runtime(NamedFrames frames) {
    const auto first = std::ranges::find(frames, Owner::runtime, &NamedFrame::owner);
    return static_cast<std::size_t>(first - frames.begin());
}

// Where a stack goes from the user's code to the runtime's and back. The system's code belongs to
// the one who called it: the runtime, if one of its frames is in the same row of frames that are
// not the user's. IS_LEFT tells whether the system has called the user's code there, which has left
// no frame.
std::vector<FrameRange> runs(NamedFrames frames, const std::function<bool(std::size_t)> &is_left) {
    std::vector<FrameRange> found;
    for (std::size_t begin = 0, end = 0; begin < frames.size(); begin = end) {
        do {
            ++end;
        } while (end < frames.size() && frames[end].is_user() == frames[begin].is_user() &&
                 !is_left(end));
        const auto row = frames.subspan(begin, end - begin);
        const bool joins =
            !found.empty() &&
            is_runtime(frames.subspan(found.back().begin, begin - found.back().begin)) ==
                is_runtime(row);
        if (joins) {
            found.back().end = end;
        } else {
            found.push_back({begin, end});
        }
    }
    return found;
}

// One thread's stack while it is taken apart.
class Taking {
public:
    Taking(WaitReader &waits, const Debugger &debugger, NamedFrames frames)
        : calls_(waits, debugger), frames_(frames) {}

    StackParts read() {
        auto rest = runs(frames_, [this](std::size_t at) { return is_left_by_jump(at); });
        if (rest.empty() || !is_runtime(of(rest.front()))) {
            add_segments(rest);
            return std::move(parts_);
        }
        const FrameRange run = rest.front();
        rest.erase(rest.begin());
        const auto caller = rest.empty() ? std::nullopt : std::optional(rest.front().begin);
        parts_.inside = run;
        parts_.system = before_runtime(of(run));
        if (const std::size_t jumped = calls_.until_jump(of(run)); jumped != 0) {
            parts_.inside.end = run.begin + jumped;
            const NamedFrame &outermost = frames_[parts_.inside.end - 1];
            if (calls_.begins_region(outermost)) {
                add({}, Boundary{Construct::region});
            } else if (calls_.begins_league(outermost)) {
                add({}, Boundary{Construct::league});
            }
            if (calls_.is_direct(frames_[run.begin + parts_.system])) {
                parts_.system = 0;
            }
            add_left_by_jump(parts_.inside.end, run.end, caller);
        } else if (caller && is_left_by_jump(*caller)) {
            add({}, Boundary{Construct::region});
        } else if (caller) {
            if (const auto begun = calls_.executed(of(run), frames_[*caller])) {
                add({}, placed(Boundary{*begun, {}, caller}));
            }
            add_left_body(*caller);
        }
        add_segments(rest);
        return std::move(parts_);
    }

private:
    // Whether what the system has called at a place, as what is given to atexit, has ended with a
    // jump to a call that begins a region.
    [[nodiscard]] bool is_left_by_jump(std::size_t at) {
        return at > 0 && frames_[at].owner == Owner::system && !calls_.is_tools(frames_[at]) &&
               frames_[at - 1].owner == Owner::runtime && calls_.begins_region(frames_[at - 1]);
    }

    [[nodiscard]] NamedFrames of(FrameRange range) const {
        return frames_.subspan(range.begin, range.end - range.begin);
    }

    // Of a league without a body on the stack the caller may have called through a pointer a
    // function that has ended with a jump and is not known. Of a target task the caller executes
    // it.
    [[nodiscard]] Boundary placed(Boundary boundary) const {
        const NamedFrame *const caller = boundary.place ? &frames_[*boundary.place] : nullptr;
        const bool is_known =
            boundary.kind == Construct::target ? caller != nullptr && calls_.begins_target(*caller)
            : boundary.kind == Construct::league
                ? boundary.body || (caller != nullptr && calls_.is_direct(*caller))
                : true;
        boundary.place = is_known ? boundary.place : std::nullopt;
        return boundary;
    }

    void add(FrameRange frames, std::optional<Boundary> boundary) {
        parts_.segments.push_back({frames, boundary});
    }

    // Of a stack, or what is left of it, that begins with the user's code.
    void add_segments(const std::vector<FrameRange> &rest) {
        const auto joined = with_parts_joined(rest);
        for (std::size_t at = 0; at < joined.size(); at += 2) {
            const auto between =
                at + 1 < joined.size() ? std::optional(joined[at + 1]) : std::nullopt;
            const auto caller =
                at + 2 < joined.size() ? std::optional(joined[at + 2].begin) : std::nullopt;
            split(joined[at], between, caller);
        }
    }

    // With the parts of each task in one. clang cuts an untied task into parts. Each has the
    // runtime execute the next, at once where the task is undeferred. And the runtime calls what
    // combines or copies variables in the task that comes to the end of a construct.
    std::vector<FrameRange> with_parts_joined(const std::vector<FrameRange> &rest) {
        std::vector<FrameRange> found;
        for (const FrameRange &run : rest) {
            const std::size_t known = found.size();
            if (known < 2 || !(is_earlier_part(found[known - 2], run) ||
                               is_help(found[known - 2], found[known - 1], run))) {
                found.push_back(run);
                continue;
            }
            const FrameRange between = found.back();
            for (std::size_t at = between.begin; at < between.end; ++at) {
                parts_.hidden.push_back(at);
            }
            found.pop_back();
            found.back().end = run.end;
        }
        return found;
    }

    // Whether CALLER is the task whose later part is BODY. Then it has given to the runtime the
    // record that it was called with, and not that of another task of the same function.
    bool is_earlier_part(FrameRange body, FrameRange caller) {
        return calls_.is_same_function(frames_[body.end - 1], frames_[caller.end - 1]) &&
               calls_.executes_next_part(of(caller));
    }

    // Whether the compiler has made what the runtime CALLED for the variables of CALLER's
    // construct, and not for a body which has no frame.
    bool is_help(FrameRange called, FrameRange between, FrameRange caller) {
        return frames_[called.end - 1].made() == Made::helper &&
               !calls_.begun(of(between), &frames_[caller.begin]);
    }

    // Cuts the user's frames where one is the body of a construct that the one around it called
    // itself. Such is a region of one thread, or a task that was executed at once.
    void split(FrameRange run, std::optional<FrameRange> between,
               std::optional<std::size_t> caller) {
        FrameRange own{run.begin, run.begin};
        for (std::size_t at = run.begin; at < run.end; ++at) {
            if (at > run.begin && wraps(frames_[at], frames_[at - 1])) {
                parts_.hidden.push_back(at);
            }
            own.end = at + 1;
            const auto kind = at + 1 < run.end ? called_directly(at) : std::nullopt;
            if (kind) {
                add(own, Boundary{*kind, {}, at + 1});
                own.begin = at + 1;
            }
        }
        if (between) {
            add_called(own, frames_[run.end - 1], run.end - 1, *between, caller);
        } else {
            add(own, std::nullopt);
        }
    }

    // Whether the function CALLER is there only to call that of FRAME. A task's entry may have its
    // body inlined, and then calls a serialized region's.
    bool wraps(const NamedFrame &caller, const NamedFrame &frame) {
        return code::is_wrapper_of(caller.name, frame.name) &&
               !calls_.calls_serialized(caller, frame);
    }

    // What the user's function around the frame AT has called that goes on in it, itself a body or
    // what one has jumped to.
    std::optional<Construct> called_directly(std::size_t at) {
        const NamedFrame &frame = frames_[at];
        const NamedFrame &caller = frames_[at + 1];
        if (!frame.is_user() || !caller.is_user()) {
            return std::nullopt;
        }
        if (code::target_region(frame.name)) {
            return wraps(caller, frame) ? std::nullopt : std::optional(Construct::target);
        }
        const auto own = frame.made();
        if (own == Made::task || (!own && calls_.is_unnamed_task(frame))) {
            return Construct::task;
        }
        if (!own && !frame.has_line && calls_.calls_serialized(caller, frame)) {
            return Construct::region;
        }
        if (own && own != Made::helper) {
            return wraps(caller, frame) ? std::nullopt : std::optional(Construct::region);
        }
        const bool is_inlined = caller.pc == frame.pc;
        const bool is_left = !is_inlined && calls_.has_left(caller, frame.name);
        return is_left ? std::optional(Construct::region) : std::nullopt;
    }

    // The segment of a region's body that the user's code has called itself, and that has ended
    // with a jump to the runtime's.
    void add_left_body(std::size_t caller) {
        if (calls_.has_left(frames_[caller], "")) {
            add({}, Boundary{Construct::region, {}, caller});
        }
    }

    // The segment of FRAMES, of which the outermost is a BODY that the runtime has called in the
    // frames BETWEEN. The BODY is at a PLACE of the stack if it has a frame.
    void add_called(FrameRange frames, NamedFrame body, std::optional<std::size_t> place,
                    FrameRange between, std::optional<std::size_t> caller) {
        const std::size_t system = before_runtime(of(between));
        if (system != 0 && !calls_.is_tools(frames_[between.begin])) {
            // A function of the system's that a body has ended with a jump to.
            frames.begin = frames.begin == frames.end ? between.begin : frames.begin;
            frames.end = between.begin += system;
            place = frames.end - 1;
            body = frames_[*place];
        }
        if (const std::size_t inner = calls_.until_jump(of(between)); inner != 0) {
            const FrameRange runtime{between.begin, between.begin + inner};
            const NamedFrame &outermost = frames_[runtime.end - 1];
            const bool begins = calls_.begins_region(outermost);
            Boundary boundary{calls_.begins_league(outermost)
                                  ? Construct::league
                                  : calls_.kind(body, of(runtime), begins),
                              runtime};
            boundary.in_creator = calls_.is_in_creator(boundary.kind, outermost);
            add(frames, boundary);
            if (begins && boundary.kind == Construct::task) {  // from the barrier at its end
                add({}, Boundary{Construct::region});
            }
            add_left_by_jump(runtime.end, between.end, caller);
            return;
        }
        const NamedFrame *const by = caller ? &frames_[*caller] : nullptr;
        const auto begun = calls_.begun(of(between), by);
        Boundary boundary{calls_.kind(body, of(between), by), between, caller};
        const bool is_task = boundary.kind == Construct::task;
        const bool is_target = boundary.kind == Construct::target;
        const bool at_end = (is_task || is_target) && (!caller || begun);
        boundary.bottom = !caller && !at_end;
        const bool has_body = is_task || is_target || boundary.kind == Construct::league;
        boundary.body = has_body && body.made() ? place : std::nullopt;
        if (const auto team =
                is_target && place ? calls_.team_begun(body, *place == 0) : std::nullopt) {
            Boundary league{Construct::league};
            league.call = team;
            add(frames, league);
            frames.begin = frames.end;
        }
        boundary.in_creator = calls_.is_in_creator(boundary.kind, frames_[between.end - 1]);
        add(frames, placed(boundary));
        if (at_end) {  // at its region's end a thread takes tasks; its own has no frame left
            add({}, Boundary{begun.value_or(Construct::region), {}, caller, !caller});
        }
        if (caller) {
            add_left_body(*caller);
        }
    }

    // The segment of a body that has no frame, as it ended with a jump to the call that the frames
    // before INNER are in.
    void add_left_by_jump(std::size_t inner, std::size_t end, std::optional<std::size_t> caller) {
        const NamedFrame body{std::string(gone), Owner::user, frames_[inner - 1].pc};
        add_called({}, body, std::nullopt, {inner, end}, caller);
    }

    RuntimeCalls calls_;
    NamedFrames frames_;
    StackParts parts_;
};

}  // namespace

StackParts constructs(WaitReader &waits, const Debugger &debugger, NamedFrames frames) {
    return Taking(waits, debugger, frames).read();
}

}  // namespace gdb_ompd
