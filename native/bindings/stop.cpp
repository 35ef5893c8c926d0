// SPDX-License-Identifier: Apache-2.0
#include "elf/address_space.hpp"
#include "stop/beginning.hpp"
#include "stop/hang_facts.hpp"
#include "stop/pthreads.hpp"

#include "frames.hpp"

#include <utility>

namespace gdb_ompd {

namespace {

llvm::Memory walk(AddressSpace &space) { return llvm::Memory(space).for_walk(Budget()); }

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
    [[nodiscard]] Frames unwound(int gdb_num,
                                 Frames (*unwind)(Unwinder &, ThreadStack &) = whole_frames) {
        const py::int_ number(gdb_num);
        auto *const stack = unwinder_ != nullptr && stacks_.contains(number)
                                ? stacks_[number].cast<ThreadStack *>()
                                : nullptr;
        return stack == nullptr
                   ? Frames()
                   : unless_unreadable<Frames>([&] { return unwind(*unwinder_, *stack); }, {});
    }
    // FRAMES that unwound() returned; the debugger's where there are none.
    [[nodiscard]] Frames or_asked(Frames frames, int gdb_num) {
        if (!frames.empty()) {
            return frames;
        }
        return frames_of(reader_, ask_(gdb_num).cast<std::vector<GivenFrame>>());
    }
    [[nodiscard]] Frames of(int gdb_num) { return or_asked(unwound(gdb_num), gdb_num); }
    // No further than to the user's innermost frame.
    [[nodiscard]] Frames inner(int gdb_num) {
        return or_asked(unwound(gdb_num, frames_to_user), gdb_num);
    }
    [[nodiscard]] WaitReader &reader() { return reader_; }

private:
    WaitReader &reader_;
    Unwinder *unwinder_;
    py::dict stacks_;
    py::function ask_;
};

// Program counter and stack pointer of each frame that the unwinder tells.
std::vector<std::pair<std::uint64_t, code::Value>> unwound(WholeStacks &stacks, int gdb_num) {
    std::vector<std::pair<std::uint64_t, code::Value>> found;
    const auto *const architecture = stacks.reader().calls().functions().architecture();
    for (const code::Frame &frame : stacks.unwound(gdb_num)) {
        found.emplace_back(frame.pc, frame.held_by(architecture->convention().stack_pointer));
    }
    return found;
}

std::vector<std::pair<std::uint64_t, std::string_view>> bodies(WholeStacks &stacks, int gdb_num) {
    std::vector<std::pair<std::uint64_t, std::string_view>> found;
    for (const auto &[function, caller] : stacks.reader().bodies(stacks.of(gdb_num))) {
        found.emplace_back(function, caller == nullptr ? "" : caller->name);
    }
    return found;
}

// A thread of the process: the fields of ProcessThread, in their order.
using Process = std::vector<std::tuple<int, std::uint64_t, std::optional<std::uint64_t>>>;
template <class Range> py::tuple tuple_of(const Range &values) {
    return py::tuple(py::cast(values));
}

py::object barriers(const std::optional<Come> &come) {
    if (!come) {
        return py::none();
    }
    py::set found;
    if (come->region) {
        found.add("region");
    }
    if (come->team) {
        found.add("team");
    }
    return py::frozenset(found);
}

using FactsRow = Typed<"dict[str, Any]">;
using CallRow = Typed<"tuple[Any, ...]">;

FactsRow to_dict(const HangFacts &facts) {
    using namespace py::literals;
    const Sink sink = facts.sink.value_or(Sink{});
    return {py::dict("blocked"_a = facts.blocked, "awaits_tasks"_a = facts.awaits_tasks,
                     "busy"_a = facts.busy, "children"_a = facts.children,
                     "groups"_a = tuple_of(facts.groups), "tasks_of_group"_a = facts.tasks_of_group,
                     "in_known_code"_a = facts.in_known_code, "come"_a = barriers(facts.come),
                     "iteration"_a = tuple_of(sink.iteration),
                     "left"_a = py::frozenset(tuple_of(sink.left)), "held"_a = facts.held,
                     "polls"_a = tuple_of(facts.polls))};
}

// As model/__init__.py names it.
std::optional<std::string_view> absence(Absence why) {
    switch (why) {
    case Absence::ended:
        return "ended";
    case Absence::forked:
        return "fork";
    case Absence::unknown:
        break;
    }
    return std::nullopt;
}

// As model/waits.py names them.
const char *lock_type(LockType lock) {
    switch (lock) {
    case LockType::mutex:
        return "pthread mutex";
    case LockType::rwlock:
        return "pthread rwlock";
    case LockType::systems:
        return "system lock";
    }
    return "";
}

std::optional<std::string_view> sleep_of(Sleep sleep) {
    switch (sleep) {
    case Sleep::until_woken:
        return "until woken";
    case Sleep::repeats:
        return "repeats";
    case Sleep::none:
        break;
    }
    return std::nullopt;
}

// The fields of SystemCall in model/waits.py, in their order.
CallRow to_tuple(const SystemCall &call) {
    const auto function = call.function.empty() ? std::nullopt : std::optional(call.function);
    return {py::make_tuple(call.calls_workers, function, call.mutex, lock_type(call.lock),
                           call.owner, call.owner_ended, call.joins, call.is_timed,
                           sleep_of(call.sleep), call.taken_by)};
}

// The fields of AbsentThread in model/__init__.py, in their order.
std::vector<std::tuple<int, std::optional<std::string_view>, bool>>
to_rows(const std::vector<HangReader::Absent> &absent) {
    std::vector<std::tuple<int, std::optional<std::string_view>, bool>> found;
    found.reserve(absent.size());
    for (const auto &[thread, why] : absent) {
        found.emplace_back(thread.thread_num, absence(why), thread.is_awaited);
    }
    return found;
}

CallRow lock_word(const HangReader &reader, Capabilities &runtime, const std::string &kind,
                  const py::int_ &object) {
    const auto [word, has_ended] = reader.lock(runtime, code::wait_kind(kind), to_address(object));
    const py::object queued =
        word.queued ? py::object(py::frozenset(tuple_of(*word.queued))) : py::none();
    return {py::make_tuple(word.held, word.owner, queued, has_ended, word.keeps_owner, word.depth)};
}

std::unique_ptr<HangReader> hang_reader(WaitReader &waits, const Process &given,
                                        std::optional<std::vector<HangReader::Range>> readable,
                                        std::optional<bool> is_forked) {
    std::vector<ProcessThread> process;
    for (const auto &[gdb_num, lwp, pthread] : given) {
        process.push_back({gdb_num, lwp, pthread});
    }
    return std::make_unique<HangReader>(waits, std::move(process), std::move(readable), is_forked);
}

// The fields of BegunTeam, in their order.
using Team = std::tuple<bool, std::optional<int>, bool, std::string,
                        std::vector<std::tuple<int, Capabilities *, bool>>>;

std::map<int, bool> beginning(WholeStacks &stacks, const Team &given) {
    const auto &[worker_inside, primary, may_have_ended, entry, workers] = given;
    BegunTeam team{worker_inside, primary, may_have_ended, entry, {}};
    for (const auto &[gdb_num, runtime, before_body] : workers) {
        team.workers.push_back({gdb_num, runtime, before_body});
    }
    BeginningReader reader(stacks.reader(), [&](int gdb_num) { return stacks.of(gdb_num); });
    return reader.read(team);
}

// The size of the stack that a thread has run off with a FAULT; none if it has not. START is an
// address in it, of the initial thread, DESCRIPTOR the pthread_t of another.
std::optional<std::uint64_t> overflowed(WholeStacks &stacks, int gdb_num, const py::int_ &fault,
                                        std::optional<std::uint64_t> start,
                                        std::uint64_t descriptor) {
    constexpr std::size_t few = 16;
    AddressSpace &space = stacks.reader().calls().functions().space();
    const auto *const architecture = stacks.reader().calls().functions().architecture();
    const auto stack = start ? initial_stack(walk(space), TargetAddr{*start})
                             : stack_of(walk(space), TargetAddr{descriptor});
    std::vector<std::uint64_t> pointers;
    for (const code::Frame &frame :
         architecture != nullptr ? stacks.of(gdb_num) : std::vector<code::Frame>()) {
        const auto pointer = frame.held_by(architecture->convention().stack_pointer);
        if (!pointer || pointers.size() == few) {
            break;
        }
        pointers.push_back(*pointer);
    }
    return stack && ran_off(walk(space), to_address(fault), *stack, pointers)
               ? std::optional(stack->end - stack->begin)
               : std::nullopt;
}

}  // namespace

void init_stop(py::module_ &module) {
    py::class_<HeldLock>(module, "HeldLock", "A lock or critical that a thread is inside of.")
        .def_property_readonly("kind", [](const HeldLock &lock) { return text(lock.kind); })
        .def_readonly("object", &HeldLock::object,
                      "Its address; None for what has no word of its own.")
        .def_readonly("entered_at", &HeldLock::entered_at, "The address of the call.")
        .def_readonly("pc", &HeldLock::pc, "Of its function's frame, an inlined one's too.")
        .def_readonly("certain", &HeldLock::certain,
                      "Whether each way through the code to where the thread is enters it, and "
                      "none leaves it.");
    py::class_<StandingThread>(module, "StandingThread",
                               "A thread that stands still, with what is known of it before. "
                               "RUNTIME reads its runtime's records, KIND is empty for no wait of "
                               "OpenMP's, OBJECT of a doacross loop the numbers of the iteration.")
        .def(
            py::init([](int gdb_num, std::optional<Capabilities *> runtime, const std::string &kind,
                        std::optional<std::uint64_t> object, bool undeferred, std::string outside,
                        std::string entry_point, std::optional<int> region, bool in_explicit_task) {
                return StandingThread{
                    gdb_num,         runtime.value_or(nullptr), code::wait_kind(kind),  object,
                    undeferred,      std::move(outside),        std::move(entry_point), region,
                    in_explicit_task};
            }),
            py::arg("gdb_num"), py::arg("runtime"), py::arg("kind"), py::arg("object"),
            py::arg("undeferred"), py::arg("outside"), py::arg("entry_point"), py::arg("region"),
            py::arg("in_explicit_task"), py::keep_alive<1, 3>());
    py::class_<WholeStacks>(
        module, "WholeStacks",
        "All frames of threads at one stop: by the unwinder and the STACKS by GDB's numbers or, "
        "where they cannot be told so, those that ASK returns.")
        .def(py::init<WaitReader &, std::optional<Unwinder *>, const WholeStacks::Stacks &,
                      const WholeStacks::Ask &>(),
             py::arg("reader"), py::arg("unwinder"), py::arg("stacks"), py::arg("ask"),
             py::keep_alive<1, 2>(), py::keep_alive<1, 3>())
        .def("unwound", &unwound, py::arg("gdb_num"),
             "Return the program counters and stack pointers of frames that the unwinder tells.")
        .def("bodies", &bodies, py::arg("gdb_num"),
             "Return the functions of the user's that the runtime has called on a thread's stack, "
             "0 where that is not known, each with the entry point that called it, empty if none "
             "has, innermost first.")
        .def("beginning", &beginning, py::arg("team"),
             "Return which workers of a team have not told that they have come to its region's "
             "end, and whether each has not begun it. TEAM are the fields of BegunTeam in "
             "native/src/stop/beginning.hpp.")
        .def("overflowed", &overflowed, py::arg("gdb_num"), py::arg("fault"), py::arg("start"),
             py::arg("descriptor"),
             "Return the size of the stack that a thread has run off with a FAULT, None if it has "
             "not. START is an address in it, of the initial thread, DESCRIPTOR another's "
             "pthread_t.");
    py::class_<HangReader>(
        module, "HangReader",
        "What a verdict on a hang is concluded from. PROCESS are GDB number, LWP and pthread_t of "
        "all threads, READABLE the code of the files that could be read, None where all runtimes "
        "could. IS_FORKED tells whether the process began by fork() and has executed no program "
        "since, None where that is not known.")
        .def(py::init(&hang_reader), py::arg("waits"), py::arg("process"), py::arg("readable"),
             py::arg("is_forked"), py::keep_alive<1, 2>())
        .def(
            "absent",
            [](HangReader &reader, Capabilities &runtime, int gdb_num, int outer) {
                return to_rows(reader.absent(runtime, gdb_num, outer));
            },
            py::arg("runtime"), py::arg("gdb_num"), py::arg("outer"),
            "Return the fields of model.AbsentThread of those of a thread's innermost team, or of "
            "one around that by OUTER teams, that are not in the process.")
        .def(
            "absent_workers",
            [](HangReader &reader, Capabilities &runtime, int gdb_num) {
                return to_rows(reader.absent_workers(runtime, gdb_num));
            },
            py::arg("runtime"), py::arg("gdb_num"),
            "Return the same of the workers that a thread keeps for the regions that it begins.")
        .def(
            "read",
            [](HangReader &reader, WholeStacks &stacks,
               const std::vector<StandingThread> &threads) {
                std::vector<FactsRow> found;
                found.reserve(threads.size());
                for (const StandingThread &thread : threads) {
                    found.emplace_back(to_dict(reader.read(thread, stacks.of(thread.gdb_num))));
                }
                return found;
            },
            py::arg("stacks"), py::arg("threads"),
            "Return the facts of each thread by the names that explain.facts.At has. BUSY is None "
            "of one that is busy unless its task's function has called what it waits in, HELD are "
            "as held_locks() returns them.")
        .def(
            "system_calls",
            [](const HangReader &reader, WholeStacks &stacks,
               const std::vector<std::tuple<int, std::string, std::string>> &threads) {
                std::vector<CallRow> rows;
                CallRow row;
                std::optional<SystemCall> last;  // many threads do the same, and share a row
                for (const auto &[gdb_num, outside, entry_point] : threads) {
                    StandingThread thread;
                    thread.gdb_num = gdb_num;
                    thread.outside = outside;
                    thread.entry_point = entry_point;
                    const SystemCall call = reader.system_call(thread, stacks.inner(gdb_num));
                    if (last != call) {
                        row = to_tuple(call);
                        last = call;
                    }
                    rows.push_back(row);
                }
                return rows;
            },
            py::arg("stacks"), py::arg("threads"),
            "Return the fields of model.waits.SystemCall of threads that wait for nothing of "
            "OpenMP's, given by GDB's number and their Wait's outside and entry_point. Neighbours "
            "that do the same share them.")
        .def("lock", &lock_word, py::arg("runtime"), py::arg("kind"), py::arg("object"),
             "Return the fields of explain.facts.LockWord.");
    module.def(
        "held_locks",
        [](WaitReader &reader, const std::vector<GivenFrame> &frames) {
            return HeldLocks(reader.calls()).of(frames_of(reader, frames));
        },
        py::arg("reader"), py::arg("frames"),
        "Return the locks and criticals that a thread with these frames is inside of, the last "
        "entered first.");
}

}  // namespace gdb_ompd
