// SPDX-License-Identifier: Apache-2.0
#include "stop/constructs.hpp"

#include "code/outlined_names.hpp"

#include <algorithm>
#include <array>
#include <iterator>

namespace gdb_ompd {

using code::EntryPoint;
using code::Made;
using code::Owner;
using Frames = std::span<const NamedFrame>;

namespace {

// By which a task's part has the next one executed, and a function a task that it creates.
constexpr std::string_view executes_next = "__kmpc_omp_task";
// The name of a body that has ended with a jump to the call that begins a region.
constexpr std::string_view gone = "(gone)";
constexpr std::string_view taskwait = "GOMP_taskwait";
// Calls for a whole league, of which there is no region.
constexpr std::array<std::string_view, 2> leagues{"__kmpc_fork_teams", "GOMP_teams_reg"};
// Calls by which the host executes a target region: in no task and no team that is known.
constexpr std::array<std::string_view, 2> targets{"GOMP_target", "GOMP_target_ext"};
// The runtime's functions that call a body, where its debug information names them.
constexpr std::array<std::string_view, 1> calls_task{"__kmp_invoke_task"};
constexpr std::array<std::string_view, 3> calls_region{
    code::microtask, "__kmp_GOMP_microtask_wrapper", "__kmp_GOMP_parallel_microtask_wrapper"};

bool has(std::span<const std::string_view> names, std::string_view name) {
    return std::ranges::find(names, name) != names.end();
}

std::optional<Made> made(const NamedFrame &frame) {
    const auto found = code::outlined(frame.name);
    return found ? std::optional(found->made) : std::nullopt;
}

bool is_task_entry(const NamedFrame &frame) { return made(frame) == Made::task; }

bool is_runtime(Frames frames) {
    return std::ranges::any_of(frames, [](const auto &one) { return one.owner == Owner::runtime; });
}

// How many of the innermost frames are before the runtime's.
std::size_t before_runtime(Frames frames) {
    const auto first = std::ranges::find(frames, Owner::runtime, &NamedFrame::owner);
    return static_cast<std::size_t>(first - frames.begin());
}

// Where a stack goes from the user's code to the runtime's and back. The system's code belongs to
// the one who called it: the runtime, if one of its frames is in the same row of frames that are
// not the user's.
std::vector<FrameRange> runs(Frames frames) {
    std::vector<FrameRange> found;
    for (std::size_t begin = 0, end = 0; begin < frames.size(); begin = end) {
        while (end < frames.size() && frames[end].is_user() == frames[begin].is_user()) {
            ++end;
        }
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
    Taking(WaitReader &waits, const Debugger &debugger, Frames frames)
        : waits_(waits), debugger_(debugger), frames_(frames) {}

    StackParts read() {
        auto rest = runs(frames_);
        if (rest.empty() || !is_runtime(of(rest.front()))) {
            add_segments(rest);
            return std::move(parts_);
        }
        const FrameRange run = rest.front();
        rest.erase(rest.begin());
        const auto caller = rest.empty() ? std::nullopt : std::optional(rest.front().begin);
        parts_.inside = run;
        parts_.system = before_runtime(of(run));
        if (const std::size_t jumped = until_jump(run); jumped != 0) {
            parts_.inside.end = run.begin + jumped;
            if (begins_region(frames_[parts_.inside.end - 1])) {
                add({}, Boundary{Construct::region});
            }
            if (waits_.calls().is_direct(frames_[run.begin + parts_.system].pc)) {
                parts_.system = 0;
            }
            add_left_by_jump(parts_.inside.end, run.end, caller);
        } else if (caller) {
            if (const auto begun = without_frame(run, *caller)) {
                add({}, Boundary{*begun, {}, caller});
            }
            add_left_body(*caller, "");
        }
        add_segments(rest);
        return std::move(parts_);
    }

    Construct kind(const NamedFrame &body, Frames between, const NamedFrame *caller) {
        if (caller != nullptr && has(targets, called(*caller))) {
            return Construct::unknown;
        }
        const auto begun = begun_in(between, caller);
        const Construct found = kind(body, between, begun.has_value());
        return found == Construct::region ? begun.value_or(found) : found;
    }

private:
    [[nodiscard]] Frames of(FrameRange range) const {
        return frames_.subspan(range.begin, range.end - range.begin);
    }

    // The name of the entry point that a frame has called; empty for none.
    std::string_view called(const NamedFrame &frame) {
        const auto found = waits_.calls().of_call(frame.pc);
        return found && found->entry != nullptr ? found->entry->name : std::string_view();
    }

    [[nodiscard]] std::string_view entry_around(std::uint64_t pc) {
        const auto *const entry = waits_.calls().around(pc);
        return entry != nullptr ? entry->name : std::string_view();
    }

    bool begins_region(const NamedFrame &frame) {
        return waits_.calls().is_in_region_call(frame.pc);
    }

    // What the runtime executes: by the body's name, as clang makes it, else by the function of the
    // runtime that calls bodies of one kind only.
    Construct kind(const NamedFrame &body, Frames between, bool begins) {
        const NamedFrame &caller = between.front();
        const auto own = made(body);
        if (own == Made::task) {
            return Construct::task;
        }
        if (own == Made::body || own == Made::debug) {
            return Construct::region;
        }
        // Without debug information a name may be that of the nearest exported function.
        if (caller.has_line && (has(calls_task, caller.name) || has(calls_region, caller.name))) {
            return has(calls_task, caller.name) ? Construct::task : Construct::region;
        }
        const bool knows = waits_.has_microtask(caller.pc), is_gnus = debugger_.is_gnus(caller.pc);
        const bool microtask = knows && is_microtask(between);
        if (own != Made::gcc) {  // a callback, a helper, or what a body ended with a jump to
            if (microtask || (begins && (own || between.size() == 1))) {
                return Construct::region;
            }
            if (!is_body(body, caller)) {
                return Construct::unknown;
            }
            if (!is_gnus) {
                return Construct::task;
            }
        }
        if (between.size() == 1) {
            return begins ? Construct::region : Construct::task;
        }
        if (is_gnus) {  // its threads call a region's body themselves, and tasks from a barrier
            const auto many = std::ranges::count(between, Owner::runtime, &NamedFrame::owner);
            return many == 1 ? Construct::region : Construct::task;
        }
        if (!knows) {
            return Construct::unknown;
        }
        return microtask ? Construct::region : Construct::task;
    }

    // Whether a function that is named like none is what a body has jumped to: CALLER, the
    // runtime's frame, called it through a pointer. GCC's calls nothing else of the user's so but
    // what copies variables.
    bool is_body(const NamedFrame &body, const NamedFrame &caller) {
        if (waits_.calls().is_direct(caller.pc)) {
            return false;
        }
        if (debugger_.is_gnus(caller.pc)) {
            const auto *const by = waits_.calls().around(caller.pc);
            return body.name == gone || by == nullptr || !by->makes_task;
        }
        return debugger_.is_of_task(body.pc);
    }

    // Whether the runtime calls the body of a region in each thread of its team: directly, or
    // through the one function that it has for GCC's bodies. What the user's code calls is no such.
    bool is_microtask(Frames between) {
        const auto first = entry_around(between.front().pc);
        return first == code::microtask || (first.empty() && between.size() > 1 &&
                                            entry_around(between[1].pc) == code::microtask);
    }

    // What begins in the call that the runtime's frames are in, a region or a league.
    std::optional<Construct> begun_in(Frames between, const NamedFrame *caller) {
        if (caller == nullptr) {
            return std::nullopt;
        }
        std::string_view name = called(*caller);
        name = name.empty() ? entry_around(between.back().pc) : name;
        name = name.empty() ? between.back().name : name;
        if (has(leagues, name)) {
            return Construct::league;
        }
        const auto *const entry = code::entry_point(name);
        const bool begins = (entry != nullptr && entry->begins_region) || name == code::ends_region;
        return begins ? std::optional(Construct::region) : std::nullopt;
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

    // With the parts of each task in one. clang cuts an untied task into parts, of which each has
    // the runtime execute the next, at once where the task is undeferred; and the runtime calls
    // what combines or copies variables in the task that comes to the end of a construct.
    std::vector<FrameRange> with_parts_joined(const std::vector<FrameRange> &rest) {
        std::vector<FrameRange> found;
        for (const FrameRange &run : rest) {
            const std::size_t known = found.size();
            if (known < 2 || !(is_earlier_part(found[known - 2], found[known - 1], run) ||
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

    // Whether CALLER is nothing but the task whose later part is BODY: a task that a function of
    // the same task creates has that function's frame in between.
    bool is_earlier_part(FrameRange body, FrameRange between, FrameRange caller) {
        const NamedFrame &later = frames_[body.end - 1];
        if (!is_task_entry(later) || frames_[caller.end - 1].name != later.name) {
            return false;
        }
        std::string_view by = called(frames_[caller.begin]);
        by = by.empty() ? frames_[between.end - 1].name : by;
        return by == executes_next && std::ranges::all_of(of(caller), [](const auto &frame) {
                   return made(frame).has_value();
               });
    }

    // Whether the compiler has made what the runtime CALLED for the variables of CALLER's
    // construct, and not for a body which has no frame.
    bool is_help(FrameRange called, FrameRange between, FrameRange caller) {
        return made(frames_[called.end - 1]) == Made::helper &&
               !begun_in(of(between), &frames_[caller.begin]);
    }

    // Cuts the user's frames where one is the body of a construct that the one around it called
    // itself: a region of one thread, a task that was executed at once.
    void split(FrameRange run, std::optional<FrameRange> between,
               std::optional<std::size_t> caller) {
        FrameRange own{run.begin, run.begin};
        for (std::size_t at = run.begin; at < run.end; ++at) {
            if (at > run.begin && code::is_wrapper_of(frames_[at].name, frames_[at - 1].name)) {
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

    // What the user's function around the frame AT has called that goes on in it, itself a body or
    // what one has jumped to.
    std::optional<Construct> called_directly(std::size_t at) {
        const NamedFrame &frame = frames_[at], &caller = frames_[at + 1];
        if (!frame.is_user() || !caller.is_user()) {
            return std::nullopt;
        }
        const auto own = made(frame);
        if (own == Made::task) {
            return Construct::task;
        }
        if (own && own != Made::helper) {
            const bool wraps = code::is_wrapper_of(caller.name, frame.name);
            return wraps ? std::nullopt : std::optional(Construct::region);
        }
        const bool is_inlined = caller.pc == frame.pc;
        const bool is_left = !is_inlined && has_left(caller, frame.name);
        return is_left ? std::optional(Construct::region) : std::nullopt;
    }

    // Whether a region's body that CALLER has called itself has ended with a jump to the function
    // INSIDE, or to the runtime's.
    bool has_left(const NamedFrame &caller, const std::string &inside) {
        const auto &targets = waits_.calls().targets().targets(caller.pc);
        return targets.size() == 1 && debugger_.is_left_by_jump(targets.front(), inside);
    }

    void add_left_body(std::size_t caller, const std::string &inside) {
        if (has_left(frames_[caller], inside)) {
            add({}, Boundary{Construct::region, {}, caller});
        }
    }

    // The segment of FRAMES, of which the outermost is a BODY, which is at a PLACE of the stack if
    // it has a frame, that the runtime has called in the frames BETWEEN.
    void add_called(FrameRange frames, NamedFrame body, std::optional<std::size_t> place,
                    FrameRange between, std::optional<std::size_t> caller) {
        if (const std::size_t system = before_runtime(of(between)); system != 0) {
            // A function of the system's that a body has ended with a jump to.
            frames.begin = frames.begin == frames.end ? between.begin : frames.begin;
            frames.end = between.begin += system;
            place = frames.end - 1;
            body = frames_[*place];
        }
        if (const std::size_t inner = until_jump(between); inner != 0) {
            const FrameRange runtime{between.begin, between.begin + inner};
            const NamedFrame &outermost = frames_[runtime.end - 1];
            const bool begins = begins_region(outermost);
            Boundary boundary{kind(body, of(runtime), begins), runtime};
            boundary.in_creator = is_in_creator(boundary.kind, outermost);
            add(frames, boundary);
            if (begins && boundary.kind == Construct::task) {  // from the barrier at its end
                add({}, Boundary{Construct::region});
            }
            add_left_by_jump(runtime.end, between.end, caller);
            return;
        }
        const NamedFrame *const by = caller ? &frames_[*caller] : nullptr;
        const auto begun = begun_in(of(between), by);
        Boundary boundary{kind(body, of(between), by), between, caller};
        const bool is_task = boundary.kind == Construct::task;
        const bool at_end = is_task && (!caller || begun);
        boundary.bottom = !caller && !at_end;
        boundary.body = is_task && made(body) ? place : std::nullopt;
        boundary.in_creator = is_in_creator(boundary.kind, frames_[between.end - 1]);
        add(frames, boundary);
        if (at_end) {  // at its region's end a thread takes tasks; its own has no frame left
            add({}, Boundary{begun.value_or(Construct::region), {}, caller, !caller});
        }
        if (caller) {
            add_left_body(*caller, "");
        }
    }

    // The segment of a body that has no frame, as it ended with a jump to the call that the frames
    // before INNER are in.
    void add_left_by_jump(std::size_t inner, std::size_t end, std::optional<std::size_t> caller) {
        const NamedFrame body{std::string(gone), Owner::user, frames_[inner - 1].pc};
        add_called({}, body, std::nullopt, {inner, end}, caller);
    }

    // Whether a task is executed in a call of the task that has created it: GCC's runtime executes
    // no others in the call that makes one, nor in a taskwait.
    bool is_in_creator(Construct kind, const NamedFrame &outermost) {
        if (kind != Construct::task || !debugger_.is_gnus(outermost.pc)) {
            return false;
        }
        const auto *const entry = waits_.calls().around(outermost.pc);
        return entry != nullptr && (entry->name == taskwait || entry->makes_task);
    }

    // How many frames there are up to that of a call which begins a region, of GCC's runtime any,
    // and which another of the runtime's frames seems to have made through a pointer: the body that
    // it called has ended with a jump, and left no frame. 0 if there is none.
    std::size_t until_jump(FrameRange between) {
        for (std::size_t at = between.begin; at + 1 < between.end; ++at) {
            const NamedFrame &frame = frames_[at], &outer = frames_[at + 1];
            const bool is_inlined = frame.pc == outer.pc && frame.name != outer.name;
            if (is_inlined || outer.owner != Owner::runtime) {
                continue;
            }
            if (!waits_.calls().is_direct(outer.pc)) {
                if (begins_region(frame) ||
                    (debugger_.is_gnus(frame.pc) && debugger_.is_gnus(outer.pc))) {
                    return at + 1 - between.begin;
                }
            } else if (const auto *const entry = waits_.calls().around(frame.pc);
                       entry != nullptr && entry->begins_region) {
                return 0;
            }
        }
        return 0;
    }

    // What a thread executes whose innermost frames are the runtime's, and whose body may have
    // ended with a jump: then the call of it is one through a pointer.
    std::optional<Construct> without_frame(FrameRange between, std::size_t caller) {
        const auto begun = begun_in(of(between), &frames_[caller]);
        const auto found = waits_.calls().of_call(frames_[caller].pc);
        if (begun || between.end - between.begin == 1 || !found || found->entry == nullptr) {
            return begun;
        }
        const bool calls = code::executes_tasks(*found->entry) &&
                           !waits_.calls().is_direct(frames_[between.end - 1].pc);
        return calls ? std::optional(Construct::task) : std::nullopt;
    }

    WaitReader &waits_;
    const Debugger &debugger_;
    Frames frames_;
    StackParts parts_;
};

}  // namespace

std::string_view text(Construct construct) {
    constexpr std::array<std::string_view, 4> texts{"region", "league", "task", "runtime"};
    return texts.at(static_cast<std::size_t>(construct));
}

StackParts constructs(WaitReader &waits, const Debugger &debugger,
                      std::span<const NamedFrame> frames) {
    return Taking(waits, debugger, frames).read();
}

Construct construct_of(WaitReader &waits, const Debugger &debugger, const NamedFrame &body,
                       std::span<const NamedFrame> between, const NamedFrame *caller) {
    return Taking(waits, debugger, {}).kind(body, between, caller);
}

}  // namespace gdb_ompd
