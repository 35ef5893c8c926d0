// SPDX-License-Identifier: Apache-2.0
// What a verdict on a hang is concluded from, of all threads at once, as explain/facts.py has it.
#include "facts.hpp"

#include "stop/task_ids.hpp"

#include "places.hpp"

#include <map>
#include <utility>
#include <vector>

namespace gdb_ompd {

namespace {

using namespace py::literals;

using FactNames = Typed<"FactNames">;

constexpr auto at_fields = fields(
    "explain.facts.At", "gdb_num", "wait", "running", "is_omp", "thread_num", "region", "held",
    "blocked", "busy", "tasks", "children", "groups", "tasks_of_group", "call", "team_size",
    "in_explicit_task", "in_known_code", "come", "iteration", "left", "awaits_tasks", "is_helper",
    "polls", "ending", "gave_up", "makes_thread", "once", "may_let_go");
constexpr auto gave_up_fields =
    fields("explain.facts.GaveUp", "library", "function", "entry_point", "message");
constexpr auto lock_word_fields = fields("explain.facts.LockWord", "held", "owner", "queued",
                                         "owner_ended", "keeps_owner", "depth");

template <class Range> py::tuple tuple_of(const Range &values) {
    return py::tuple(py::cast(values));
}

py::object barriers(const std::optional<Come> &come) {
    if (!come) {
        return py::none();
    }
    static const auto *const none = new py::frozenset(py::set());
    if (!come->region && !come->team) {
        return *none;
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

py::object to_lock_word(const HangReader::Lock &lock) {
    ModelValue made(type_of<lock_word_fields>());
    made.set(lock_word_fields["held"], py::cast(lock.word.held));
    made.set(lock_word_fields["owner"], py::cast(lock.word.owner));
    if (lock.word.queued) {
        made.set(lock_word_fields["queued"], py::frozenset(tuple_of(*lock.word.queued)));
    }
    made.set(lock_word_fields["owner_ended"], py::bool_(lock.has_ended));
    made.set(lock_word_fields["keeps_owner"], py::cast(lock.word.keeps_owner));
    made.set(lock_word_fields["depth"], py::cast(lock.word.depth));
    return made.done();
}

py::object to_gave_up(const GaveUp &found) {
    ModelValue made(type_of<gave_up_fields>());
    made.set(gave_up_fields["library"], py::str(found.library));
    made.set(gave_up_fields["function"], py::str(found.function));
    made.set(gave_up_fields["entry_point"], py::str(found.entry_point));
    made.set(gave_up_fields["message"], py::str(found.message));
    return made.done();
}

// A thread's row with what was found out of it before.
struct Row {
    GivenModel thread;
    int gdb_num = 0;
    const ModelWait *wait = nullptr;  // null for one that runs
    const ThreadPlace *place = nullptr;
    const Outside *outside = nullptr;  // null for one whose wait is all that there is
    const TaskIds *tasks = nullptr;    // null where they are not known
    Capabilities *runtime = nullptr;

    [[nodiscard]] bool is(std::size_t field, std::string_view word) const {
        return text_in(thread[field]) == word;
    }
    [[nodiscard]] bool is_helper() const { return is(row_fields["kind"], "helper"); }
    // It is, or may be, one of OpenMP's.
    [[nodiscard]] bool is_omp() const { return !is_helper() && !is(row_fields["kind"], "native"); }
    [[nodiscard]] bool in_explicit_task() const { return is(row_fields["task"], "explicit"); }
};

class FactsReader {
public:
    FactsReader(HangReader &reader, WholeStacks &stacks, FactNames names)
        : reader_(reader), stacks_(stacks), names_(std::move(names)) {}

    py::object read(const Row &row) {
        ModelValue made(type_of<at_fields>());
        made.set(at_fields["gdb_num"], borrowed(row.thread[row_fields["gdb_num"]]));
        made.set(at_fields["is_omp"], py::bool_(row.is_omp()));
        made.set(at_fields["thread_num"], borrowed(row.thread[row_fields["thread_num"]]));
        made.set(at_fields["region"], borrowed(row.thread[row_fields["region"]]));
        made.set(at_fields["team_size"], borrowed(row.thread[row_fields["team_size"]]));
        made.set(at_fields["in_explicit_task"], py::bool_(row.in_explicit_task()));
        made.set(at_fields["is_helper"], py::bool_(row.is_helper()));
        if (row.wait == nullptr) {
            made.set(at_fields["running"], py::bool_(true));
            return made.done();
        }
        made.set(at_fields["running"], borrowed(row.thread[row_fields["running"]]));
        const Shown shown = shown_in(*row.wait, row.place != nullptr && row.place->in_runtime);
        if (is_in_pool(shown.kind) || shown.kind == code::WaitKind::not_begun || row.is_helper()) {
            made.set(at_fields["wait"], *row.wait);
            return made.done();
        }
        add(made, row, shown);
        return made.done();
    }

private:
    // What is known of one that is active, as native code takes it.
    static StandingThread standing(const Row &row, const Shown &shown) {
        const GivenModel wait(type_of<wait_fields>(), *row.wait);
        const py::handle sink = wait[wait_fields["sink"]];
        const py::handle object = sink.is_none() ? wait[wait_fields["address"]] : sink;
        return {row.gdb_num,
                row.runtime,
                shown.kind,
                optional_in<std::uint64_t>(object),
                wait[wait_fields["undeferred"]].cast<bool>(),
                std::string(shown.outside),
                std::string(shown.entry_point),
                optional_in<int>(row.thread[row_fields["region"]]),
                row.in_explicit_task()};
    }

    void add(ModelValue &made, const Row &row, const Shown &shown) {
        const HangFacts facts = reader_.read(standing(row, shown), stacks_.of(row.gdb_num));
        made.set(at_fields["blocked"], py::cast(facts.blocked));
        made.set(at_fields["busy"], py::bool_(facts.busy ? *facts.busy : !is_in_body(row)));
        made.set(at_fields["children"], py::cast(facts.children));
        made.set(at_fields["groups"], tuple_of(facts.groups));
        made.set(at_fields["tasks_of_group"], py::cast(facts.tasks_of_group));
        made.set(at_fields["in_known_code"], py::bool_(facts.in_known_code));
        made.set(at_fields["come"], barriers(facts.come));
        made.set(at_fields["awaits_tasks"], py::bool_(facts.awaits_tasks));
        if (facts.sink) {
            made.set(at_fields["iteration"], tuple_of(facts.sink->iteration));
            made.set(at_fields["left"], py::frozenset(tuple_of(facts.sink->left)));
        }
        if (!facts.held.empty()) {
            made.set(at_fields["held"], names_.attr("held")(row.gdb_num, facts.held));
        }
        if (row.tasks != nullptr) {
            made.set(at_fields["tasks"], tuple_of(row.tasks->ids));
        }
        if (row.outside != nullptr) {
            made.set(at_fields["call"], row.outside->call);
        }
        if (!facts.polls.empty() && !waits_in_kernel(row)) {
            made.set(at_fields["polls"], names_.attr("variables")(row.gdb_num, facts.polls));
        }
        if (facts.ending != Leaving::none) {
            made.set(at_fields["ending"],
                     word(facts.ending == Leaving::process ? "process" : "thread"));
        }
        made.set(at_fields["once"], tuple_of(facts.once));
        made.set(at_fields["makes_thread"], py::bool_(facts.makes_thread));
        if (facts.gave_up) {
            made.set(at_fields["gave_up"], to_gave_up(*facts.gave_up));
        }
        made.set(at_fields["wait"], completed(row, shown.in_runtime, facts.in_known_code));
    }

    // The thread's wait as listings have it.
    static py::object completed(const Row &row, bool in_runtime, bool in_known_code) {
        ModelWait wait = row.outside != nullptr ? row.outside->wait : *row.wait;
        const Shown shown = shown_in(wait, in_runtime);
        const bool is_named =
            shown.kind != code::WaitKind::none || !shown.outside.empty() || has_function(row);
        const bool unnamed = !is_named && state_of(shown, recorded_in(row.thread)) == "overhead";
        if (!unnamed && in_known_code) {
            return wait;
        }
        ModelValue made(type_of<wait_fields>(), py::tuple(wait));
        if (unnamed) {
            made.set(wait_fields["outside"], word(std::string(the_runtime).c_str()));
        }
        if (!in_known_code) {  // the debugger's frames, by another file or none, lead nowhere
            made.set(wait_fields["location"], py::none());
        }
        return made.done();
    }

    static bool has_function(const Row &row) {
        return row.outside != nullptr &&
               !text_in(
                    GivenModel(type_of<call_fields>(), row.outside->call)[call_fields["function"]])
                    .empty();
    }

    static bool waits_in_kernel(const Row &row) {
        if (row.outside == nullptr) {
            return false;
        }
        const GivenModel call(type_of<call_fields>(), row.outside->call);
        return !(call[call_fields["mutex"]].is_none() && call[call_fields["joins"]].is_none() &&
                 call[call_fields["sleep"]].is_none());
    }

    // Whether the current task's function has called what the thread waits in.
    bool is_in_body(const Row &row) {
        if (row.tasks == nullptr) {
            return false;
        }
        const std::vector<CalledBody> bodies = stacks_.bodies(row.gdb_num);
        const CalledBody body = bodies.empty() ? CalledBody() : bodies.front();
        const bool by_task = body.caller != nullptr && body.caller->makes_task;
        std::uint64_t function = row.tasks->function;
        if (function == 0 && row.tasks->is_explicit && by_task) {
            function = body.function;
        }
        // One that has ended with a jump has no frame: the call that made the task tells it.
        return function != 0 && ((by_task && body.function == function) ||
                                 names_.attr("is_in_body")(row.gdb_num, function).cast<bool>());
    }

    HangReader &reader_;
    WholeStacks &stacks_;
    py::object names_;
};

// What is read of threads, and of the locks that they wait for, by address.
struct ThreadsRead {
    ModelAts threads;
    std::map<std::uint64_t, py::object> locks;
    std::vector<CalledBack> called_back;

    [[nodiscard]] py::tuple lock_words() const {
        return tuple_of(std::vector(locks.begin(), locks.end()));
    }
};

// The lock that a thread waits for, unless it is in LOCKS.
void read_lock(std::map<std::uint64_t, py::object> &locks, const HangReader &reader,
               const Row &row) {
    const GivenModel wait(type_of<wait_fields>(), *row.wait);
    const auto kind = code::wait_kind(text_in(wait[wait_fields["kind"]]));
    const auto address =
        is_mutex(kind) ? optional_in<std::uint64_t>(wait[wait_fields["address"]]) : std::nullopt;
    if (address && row.runtime != nullptr && !locks.contains(*address)) {
        locks.emplace(*address,
                      to_lock_word(reader.lock(*row.runtime, kind, TargetAddr{*address})));
    }
}

Awaiting awaiting(const Row &row) {
    const GivenModel wait(type_of<wait_fields>(), *row.wait);
    return {row.gdb_num, code::wait_kind(text_in(wait[wait_fields["kind"]])),
            optional_in<std::uint64_t>(wait[wait_fields["address"]])};
}

// The facts of THREADS with the locks that each may let go, which are AHEAD.
py::tuple with_ahead(const py::tuple &threads,
                     const std::map<int, std::vector<std::uint64_t>> &ahead) {
    py::tuple found(threads.size());
    for (std::size_t at = 0; at < threads.size(); ++at) {
        const py::tuple thread = threads[at];
        const GivenModel given(type_of<at_fields>(), thread);
        const auto locks = ahead.find(given[at_fields["gdb_num"]].cast<int>());
        if (locks == ahead.end()) {
            found[at] = thread;
            continue;
        }
        ModelValue made(type_of<at_fields>(), thread);
        made.set(at_fields["may_let_go"], tuple_of(locks->second));
        found[at] = made.done();
    }
    return found;
}

ThreadsRead read_facts(HangReader &reader, WholeStacks &stacks, const ModelThreads &threads,
                       const WaitsByThread &waits, const PlacesByThread &places,
                       const CallsByThread &calls, const ThreadTasks &tasks,
                       const KnownRuntimes &runtimes, const FactNames &names) {
    FactsReader facts(reader, stacks, names);
    ThreadsRead found;
    std::vector<Awaiting> standing;
    const py::tuple given(threads);
    const py::dict all_waits(waits);
    const py::dict all_places(places);
    const py::dict all_calls(calls);
    py::tuple made(given.size());
    for (std::size_t at = 0; at < given.size(); ++at) {
        const GivenModel thread(type_of<row_fields>(), given[at]);
        const py::object number = borrowed(thread[row_fields["gdb_num"]]);
        const int gdb_num = number.cast<int>();
        const auto chain = tasks.of_threads.find(gdb_num);
        std::optional<ModelWait> wait;
        if (all_waits.contains(number)) {
            wait = ModelWait(py::object(all_waits[number]));
        }
        const Row row{thread,
                      gdb_num,
                      wait ? &*wait : nullptr,
                      of_thread<ThreadPlace>(all_places, number),
                      of_thread<Outside>(all_calls, number),
                      chain == tasks.of_threads.end() ? nullptr : &chain->second,
                      runtimes.of(gdb_num)};
        made[at] = facts.read(row);
        if (wait) {
            read_lock(found.locks, reader, row);
        }
        if (wait && !thread[row_fields["running"]].cast<bool>()) {
            standing.push_back(awaiting(row));
        }
    }
    Releases releases =
        reader.releases().of(standing, [&stacks](int gdb_num) { return stacks.of(gdb_num); });
    found.called_back = std::move(releases.called_back);
    found.threads = with_ahead(made, releases.ahead);
    return found;
}

}  // namespace

void init_facts(py::module_ &module) {
    py::class_<CalledBack>(module, "CalledBack",
                           "A function that the program gives to be called back, and that may let "
                           "a lock go.")
        .def_readonly("lock", &CalledBack::lock, "The lock's address.")
        .def_readonly("function", &CalledBack::function, "Where the function begins.");
    py::class_<ThreadsRead>(module, "ThreadsRead", "The facts of a stop's threads.")
        .def_readonly("threads", &ThreadsRead::threads, "One At for each.")
        .def_property_readonly(
            "locks",
            [](const ThreadsRead &read) {
                return Typed<"tuple[tuple[int, LockWord], ...]">(py::object(read.lock_words()));
            },
            "What runtimes record of the locks that are waited for, by address.")
        .def_readonly("called_back", &ThreadsRead::called_back,
                      "What may let these go whenever it is called back.");
    module.def("read_facts", &read_facts, py::arg("reader"), py::arg("stacks"), py::arg("threads"),
               py::arg("waits"), py::arg("places"), py::arg("calls"), py::arg("tasks"),
               py::arg("runtimes"), py::arg("names"),
               "Return the facts of THREADS. WAITS are of those that stand still, CALLS of those "
               "that do something outside of the user's code, TASKS of OpenMP's. NAMES is the "
               "debugger's part: see FactNames.");
}

}  // namespace gdb_ompd
