// SPDX-License-Identifier: Apache-2.0
// What a verdict on a hang is concluded from, of all threads at once, as explain/facts.py has it.
#include "stop/thread_facts.hpp"

#include "hang_values.hpp"

namespace gdb_ompd {

namespace {

constexpr auto at_fields =
    fields("explain.facts.At", "gdb_num", "wait", "running", "is_omp", "thread_num", "region",
           "held", "blocked", "busy", "tasks", "children", "groups", "tasks_of_group", "call",
           "team_size", "in_explicit_task", "in_known_code", "come", "iteration", "left",
           "awaits_tasks", "is_helper", "polls", "tried", "ending", "gave_up", "makes_thread",
           "once", "may_let_go", "target", "interruption", "endless");
constexpr auto tried_fields = fields("explain.facts.Tried", "kind", "object");
constexpr auto gave_up_fields =
    fields("explain.facts.GaveUp", "library", "function", "entry_point", "message");
constexpr auto interruption_fields =
    fields("explain.facts.Interruption", "signal", "function", "location");
constexpr auto lock_word_fields = fields("explain.facts.LockWord", "held", "owner", "queued",
                                         "owner_ended", "keeps_owner", "depth", "destroyed");

template <class Range> py::tuple tuple_of(const Range &values) {
    return py::tuple(py::cast(values));
}

py::object frozen(const py::object &values) {
    auto found = py::reinterpret_steal<py::object>(PyFrozenSet_New(values.ptr()));
    if (!found) {
        throw py::error_already_set();
    }
    return found;
}

py::object barriers(const std::optional<Come> &come) {
    if (!come) {
        return py::none();
    }
    static const auto *const none = new py::object(frozen(py::tuple()));
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
    return frozen(found);
}

py::object to_lock_word(const HangReader::Lock &lock) {
    ModelValue made(type_of<lock_word_fields>());
    made.set(lock_word_fields["held"], py::cast(lock.word.held));
    made.set(lock_word_fields["owner"], py::cast(lock.word.owner));
    if (lock.word.queued) {
        made.set(lock_word_fields["queued"], frozen(tuple_of(*lock.word.queued)));
    }
    made.set(lock_word_fields["owner_ended"], py::bool_(lock.has_ended));
    made.set(lock_word_fields["keeps_owner"], py::cast(lock.word.keeps_owner));
    made.set(lock_word_fields["depth"], py::cast(lock.word.depth));
    made.set(lock_word_fields["destroyed"], py::bool_(lock.word.destroyed));
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

py::object to_interruption(const Interruption &found, const PythonNames &names) {
    ModelValue made(type_of<interruption_fields>());
    made.set(interruption_fields["signal"], py::cast(found.signal));
    if (!found.function.empty()) {
        made.set(interruption_fields["function"], py::str(found.function));
    }
    if (found.pc != 0) {
        made.set(interruption_fields["location"], names.spot(found.pc, found.is_called));
    }
    return made.done();
}

// What is known of one that is not idle.
void add(ModelValue &made, int gdb_num, const StandingFacts &facts, WaitValues &values,
         const PythonNames &names) {
    const HangFacts &hang = facts.hang;
    made.set(at_fields["blocked"], py::cast(hang.blocked));
    made.set(at_fields["busy"], py::bool_(facts.is_busy));
    made.set(at_fields["children"], py::cast(hang.children));
    made.set(at_fields["groups"], tuple_of(hang.groups));
    made.set(at_fields["tasks_of_group"], py::cast(hang.tasks_of_group));
    made.set(at_fields["in_known_code"], py::bool_(hang.in_known_code));
    made.set(at_fields["come"], barriers(hang.come));
    made.set(at_fields["awaits_tasks"], py::bool_(hang.awaits_tasks));
    if (hang.sink) {
        made.set(at_fields["iteration"], tuple_of(hang.sink->iteration));
        made.set(at_fields["left"], frozen(tuple_of(hang.sink->left)));
    }
    if (!hang.held.empty()) {
        made.set(at_fields["held"], names.held(gdb_num, hang.held));
    }
    if (facts.tasks) {
        made.set(at_fields["tasks"], tuple_of(facts.tasks->ids));
    }
    if (facts.outside != nullptr) {
        made.set(at_fields["call"], values.of(facts.outside));
    }
    if (!hang.polls.addresses.empty()) {
        made.set(at_fields["polls"], names.variables(gdb_num, hang.polls.addresses));
    }
    made.set(at_fields["endless"], py::bool_(hang.polls.is_endless));
    if (hang.polls.tried) {
        const auto [kind, object] = *hang.polls.tried;
        ModelValue tried(type_of<tried_fields>());
        tried.set(tried_fields["kind"], py::cast(code::text(kind)));
        tried.set(tried_fields["object"], py::int_(object));
        made.set(at_fields["tried"], tried.done());
    }
    if (hang.ending != Leaving::none) {
        made.set(at_fields["ending"], word(hang.ending == Leaving::process ? "process" : "thread"));
    }
    made.set(at_fields["once"], tuple_of(hang.once));
    made.set(at_fields["makes_thread"], py::bool_(hang.makes_thread));
    if (hang.gave_up) {
        made.set(at_fields["gave_up"], to_gave_up(*hang.gave_up));
    }
    if (hang.interruption) {
        made.set(at_fields["interruption"], to_interruption(*hang.interruption, names));
    }
}

py::object to_at(const GivenModel &row, const ThreadInTarget &given, const StandingFacts &facts,
                 WaitValues &values, const PythonNames &names) {
    const KnownThread &thread = given.thread;
    ModelValue made(type_of<at_fields>());
    made.set(at_fields["gdb_num"], borrowed(row[row_fields["gdb_num"]]));
    made.set(at_fields["is_omp"], py::bool_(thread.is_omp()));
    made.set(at_fields["thread_num"], borrowed(row[row_fields["thread_num"]]));
    made.set(at_fields["region"], borrowed(row[row_fields["region"]]));
    made.set(at_fields["team_size"], borrowed(row[row_fields["team_size"]]));
    made.set(at_fields["in_explicit_task"], py::bool_(thread.in_explicit_task));
    made.set(at_fields["is_helper"], py::bool_(thread.is_helper()));
    made.set(at_fields["running"], py::bool_(facts.wait == nullptr || thread.running));
    if (facts.wait != nullptr) {
        made.set(at_fields["wait"], values.of(facts.wait));
        if (!facts.is_idle) {
            add(made, thread.gdb_num, facts, values, names);
        }
        made.set(at_fields["may_let_go"], tuple_of(facts.may_let_go));
        made.set(at_fields["target"], to_target(given.target, names));
    }
    return made.done();
}

}  // namespace

py::tuple to_ats(const ModelThreads &rows, const std::vector<ThreadInTarget> &threads,
                 const GatheredFacts &found, const PythonNames &names) {
    const py::tuple given(rows);
    py::tuple made(given.size());
    WaitValues values;
    for (std::size_t at = 0; at < given.size(); ++at) {
        made[at] = to_at(GivenModel(type_of<row_fields>(), given[at]), threads[at],
                         found.threads[at], values, names);
    }
    return made;
}

py::tuple to_lock_words(const GatheredFacts &found) {
    std::vector<std::pair<std::uint64_t, py::object>> words;
    for (const auto &[address, lock] : found.locks) {
        words.emplace_back(address, to_lock_word(lock));
    }
    return tuple_of(words);
}

}  // namespace gdb_ompd
