// SPDX-License-Identifier: Apache-2.0
#include "model_values.hpp"

#include "model/waiting_states.hpp"
#include "model_types.hpp"
#include "model_words.hpp"
#include "places.hpp"

#include <ranges>
#include <tuple>

namespace gdb_ompd {

py::object to_python(TaskKind kind) { return to_model(kind); }

py::object to_python(ThreadKind kind) {
    static const auto *const words = new std::array<py::object, 4>{
        model_word("ThreadKind", "INITIAL"), model_word("ThreadKind", "WORKER"),
        model_word("ThreadKind", "HELPER"), model_word("ThreadKind", "NATIVE")};
    return words->at(static_cast<std::size_t>(kind));
}

namespace {

constexpr auto doubt_fields = fields("Doubt", "fact", "source", "failed", "code");
constexpr auto membership_fields = fields("Membership", "thread_num", "team_size");
constexpr auto waits_for_fields = fields("WaitsFor", "kind", "address");
constexpr auto thread_fields = fields(
    "Thread", "inferior", "gdb_num", "lwp", "pthread_id", "kind", "running", "thread_num",
    "team_size", "level", "active_level", "memberships", "region", "idle", "state", "waits_for",
    "task", "error", "doubts", "team_num", "num_teams", "league", "league_level");
constexpr auto region_fields =
    fields("Region", "id", "parallel_id", "parent", "level", "active_level", "team_size",
           "serialized", "threads", "doubts", "kind", "function", "file", "line", "code",
           "library_call", "absent", "starting", "runtime");
constexpr auto absent_thread_fields = fields("AbsentThread", "thread_num", "why", "awaited");
constexpr auto task_frames_fields = fields("TaskFrames", "enter", "exit");
constexpr auto task_fields =
    fields("Task", "gdb_num", "depth", "task_id", "kind", "final", "frames", "generating",
           "scheduling", "running", "doubts", "function", "file", "line", "code");
constexpr auto creator_fields =
    fields("Creator", "kind", "thread_num", "function", "file", "line", "code");
constexpr auto waiting_task_fields =
    fields("WaitingTask", "task_id", "where", "final", "queue", "creator", "region", "generated_by",
           "tied", "function", "file", "line", "code");
constexpr auto located_fields = fields("Location", "function", "file", "line", "code");

std::optional<int> depth(const std::optional<int> &given) {
    return given && *given >= 0 ? given : std::nullopt;
}

template <class Items, class Convert> py::tuple each(const Items &items, Convert &&convert) {
    py::tuple found(std::ranges::size(items));
    std::size_t at = 0;
    for (const auto &item : items) {
        found[at++] = convert(item);
    }
    return found;
}

// The doubts of some facts: where they come from if that is not the library, or what failed.
class Doubts {
public:
    // Takes down what is to be said of a FACT; returns its value, None if it is not known.
    template <class T> py::object value(const char *name, const Fact<T> &fact) {
        if (fact.source != nullptr || fact.failed != nullptr) {
            add(name, fact.source, fact.failed, fact.code);
        }
        return to_python(fact.value);
    }

    void add(const char *name, const char *source, const char *failed, ompd_rc_t code) {
        ModelValue made(type_of<doubt_fields>());
        made.set(doubt_fields["fact"], word(name));
        if (source != nullptr) {
            made.set(doubt_fields["source"], word(source));
        }
        if (failed != nullptr) {
            made.set(doubt_fields["failed"], word(failed));
        }
        made.set(doubt_fields["code"], py::int_(static_cast<int>(code)));
        found_.push_back(made.done());
    }

    [[nodiscard]] bool has(const char *name) const {
        return std::ranges::any_of(found_, [&](const py::object &one) {
            return text_in(GivenModel(type_of<doubt_fields>(), one)[doubt_fields["fact"]]) == name;
        });
    }

    [[nodiscard]] py::tuple all() const {
        return each(found_, [](const py::object &one) { return one; });
    }

private:
    std::vector<py::object> found_;
};

// Which fields of a type say where something is.
struct PlaceFields {
    std::size_t function, file, line, code;
};
template <std::size_t N> consteval PlaceFields place_fields_of(const Fields<N> &type) {
    return {type["function"], type["file"], type["line"], type["code"]};
}

// Sets where something is to PLACE, as far as that is known.
void set_place(ModelValue &made, const PlaceFields &at, const PlaceRef &place) {
    if (place == nullptr) {
        return;
    }
    const py::object location = location_of(place);
    const GivenModel given(type_of<located_fields>(), location);
    made.set(at.function, borrowed(given[located_fields["function"]]));
    made.set(at.file, borrowed(given[located_fields["file"]]));
    made.set(at.line, borrowed(given[located_fields["line"]]));
    made.set(at.code, borrowed(given[located_fields["code"]]));
}

// The facts that every such TASK has, of which nothing is said and that are not known.
void add_lacking(Doubts &doubts, const PlacedTask &task) {
    const TaskFacts &facts = task.facts;
    const bool is_explicit = facts.kind.value == TaskKind::explicit_;
    const auto lacks = [&](const char *fact, const char *failed) {
        if (!doubts.has(fact)) {
            doubts.add(fact, nullptr, failed, ompd_rc_unavailable);
        }
    };
    if (is_explicit &&
        (task.place == nullptr || (task.place->function.empty() && !task.place->is_in_file))) {
        lacks("function", "ompd_get_task_function");
    }
    if ((is_explicit || facts.kind.value == TaskKind::implicit) && !depth(facts.generating.value)) {
        lacks("generating", "ompd_get_generating_task_handle");
    }
    if (is_explicit && facts.depth == 0 && !depth(facts.scheduling.value)) {
        lacks("scheduling", "ompd_get_scheduling_task_handle");
    }
}

py::object to_waits_for(const std::optional<std::string> &state,
                        const std::optional<ompd_wait_id_t> &wait_id) {
    const auto kind = state ? waiting_kind(*state) : std::nullopt;
    if (!kind) {
        return py::none();
    }
    ModelValue made(type_of<waits_for_fields>());
    made.set(waits_for_fields["kind"], word(kind->word));
    if (kind->has_object && wait_id.value_or(0) != 0) {
        made.set(waits_for_fields["address"], to_python(wait_id));
    }
    return made.done();
}

// The numbers and sizes of a thread's teams but the innermost.
std::span<const Membership> outside(const ThreadFacts &facts) {
    return std::span(facts.memberships).subspan(facts.memberships.empty() ? 0 : 1);
}

// Whether all is the same of two threads but their numbers.
bool are_alike(const ThreadFacts &one, const ThreadFacts &other) {
    const auto rest = [](const ThreadFacts &facts) {
        const Fact<int> &number = facts.thread_num;
        return std::tie(facts.kind, facts.idle, number.source, number.failed, number.code,
                        facts.team_size, facts.level, facts.active_level, facts.memberships_failed,
                        facts.region, facts.state, facts.wait_id, facts.task, facts.error,
                        facts.team_num, facts.num_teams, facts.league, facts.league_level);
    };
    return rest(one) == rest(other) && std::ranges::equal(outside(one), outside(other));
}

// A thread with all that it shares with those of which the same is said: of its memberships
// those around the innermost.
py::tuple thread_like(const ThreadFacts &facts, int first) {
    Doubts doubts;
    ModelValue made(type_of<thread_fields>());
    made.set(thread_fields["kind"], doubts.value("kind", facts.kind));
    doubts.value("thread_num", facts.thread_num);
    made.set(thread_fields["team_size"], doubts.value("team_size", facts.team_size));
    made.set(thread_fields["level"], doubts.value("level", facts.level));
    made.set(thread_fields["active_level"], doubts.value("active_level", facts.active_level));
    made.set(thread_fields["memberships"],
             each(outside(facts), [](const Membership &one) { return to_model(one); }));
    doubts.value("region", facts.region);
    made.set(thread_fields["region"], to_python(number_of(facts.region.value, first)));
    made.set(thread_fields["idle"], to_python(facts.idle));
    made.set(thread_fields["team_num"], doubts.value("team_num", facts.team_num));
    made.set(thread_fields["num_teams"], doubts.value("num_teams", facts.num_teams));
    made.set(thread_fields["league"], to_python(facts.league.value));
    made.set(thread_fields["league_level"], to_python(facts.league_level));
    doubts.value("state", facts.state);
    const auto state = facts.idle ? std::optional<std::string>("idle") : facts.state.value;
    made.set(thread_fields["state"], to_python(state));
    made.set(thread_fields["waits_for"], to_waits_for(state, facts.wait_id));
    made.set(thread_fields["task"], doubts.value("task", facts.task));
    if (!facts.error.empty()) {
        made.set(thread_fields["error"], to_text(facts.error));
    }
    if (facts.memberships_failed != nullptr) {
        doubts.add("memberships", nullptr, facts.memberships_failed, ompd_rc_unavailable);
    }
    made.set(thread_fields["doubts"], doubts.all());
    return made.done();
}

// INNERMOST before those AROUND it.
py::tuple memberships_of(const py::object &innermost, const py::tuple &around) {
    py::tuple all(around.size() + 1);
    all[0] = innermost;
    for (std::size_t level = 0; level < around.size(); ++level) {
        all[level + 1] = around[level];
    }
    return all;
}

py::object absent_thread(const HangReader::Absent &absent) {
    ModelValue made(type_of<absent_thread_fields>());
    made.set(absent_thread_fields["thread_num"], to_python(absent.thread.thread_num));
    made.set(absent_thread_fields["why"], to_model(absent.why));
    made.set(absent_thread_fields["awaited"], to_python(absent.thread.is_awaited));
    return made.done();
}

}  // namespace

ModelTaskKind to_model(TaskKind kind) {
    static const auto *const words = new std::array<py::object, 3>{
        model_word("TaskKind", "INITIAL"), model_word("TaskKind", "IMPLICIT"),
        model_word("TaskKind", "EXPLICIT")};
    return words->at(static_cast<std::size_t>(kind));
}

py::object to_model(Whereabouts where) {
    static const auto *const words = new std::array<py::object, 4>{
        model_word("Whereabouts", "QUEUED"), model_word("Whereabouts", "BLOCKED"),
        model_word("Whereabouts", "SUSPENDED"), model_word("Whereabouts", "DETACHED")};
    return words->at(static_cast<std::size_t>(where));
}

py::object to_model(Absence why) {
    switch (why) {
    case Absence::ended:
        return model_word("Absence", "ENDED");
    case Absence::forked:
        return model_word("Absence", "FORK");
    case Absence::unknown:
        break;
    }
    return py::none();
}

ModelMembership to_model(const Membership &given) {
    ModelValue made(type_of<membership_fields>());
    made.set(membership_fields["thread_num"], to_python(given.thread_num));
    made.set(membership_fields["team_size"], to_python(given.team_size));
    return made.done();
}

ModelThreads to_threads(const std::vector<NativeThread> &natives,
                        const std::vector<ThreadFacts> &threads, int first) {
    const ModelType &type = type_of<thread_fields>();
    py::tuple made(threads.size());
    py::tuple shared;  // by all neighbours of which the same is said
    for (std::size_t i = 0; i < threads.size(); ++i) {
        const ThreadFacts &facts = threads[i];
        const NativeThread &native = natives[i];
        if (i == 0 || !are_alike(facts, threads[i - 1])) {
            shared = thread_like(facts, first);
        }
        ModelValue one(type, shared);
        one.set(thread_fields["inferior"], to_python(native.inferior));
        one.set(thread_fields["gdb_num"], to_python(native.gdb_num));
        one.set(thread_fields["lwp"], to_python(native.lwp));
        one.set(thread_fields["pthread_id"], to_python(native.pthread_id));
        one.set(thread_fields["running"], to_python(native.running));
        one.set(thread_fields["thread_num"], to_python(facts.thread_num.value));
        if (!facts.memberships.empty()) {
            one.set(thread_fields["memberships"],
                    memberships_of(to_model(facts.memberships.front()),
                                   shared[type.position(thread_fields["memberships"])]));
        }
        made[i] = one.done();
    }
    return made;
}

ModelRegions to_regions(const std::vector<RegionFacts> &regions, int first) {
    int number = first;
    return each(regions, [&](const RegionFacts &facts) {
        Doubts doubts;
        ModelValue made(type_of<region_fields>());
        made.set(region_fields["id"], to_python(++number));
        made.set(region_fields["parallel_id"], to_python(facts.identity));
        doubts.value("parent", facts.parent);
        made.set(region_fields["parent"], to_python(number_of(facts.parent.value, first)));
        made.set(region_fields["level"], doubts.value("level", facts.level));
        made.set(region_fields["active_level"], doubts.value("active_level", facts.active_level));
        made.set(region_fields["team_size"], doubts.value("team_size", facts.team_size));
        if (facts.is_helpers) {
            made.set(region_fields["kind"], model_word("RegionKind", "HELPERS"));
        }
        made.set(region_fields["serialized"], to_python(facts.team_size.value == 1));
        made.set(region_fields["threads"],
                 each(facts.threads, [](const std::optional<int> &one) { return to_python(one); }));
        doubts.value("function", facts.function);
        if (facts.threads_failed != nullptr) {
            doubts.add("threads", nullptr, facts.threads_failed, ompd_rc_unavailable);
        }
        made.set(region_fields["doubts"], doubts.all());
        return made.done();
    });
}

py::object to_placed(const py::handle &region, const PlacedRegion &placed,
                     const std::string &file) {
    ModelValue made(type_of<region_fields>(), py::reinterpret_borrow<py::tuple>(region));
    set_place(made, place_fields_of(region_fields), placed.place);
    made.set(region_fields["library_call"], text_or_none(placed.library_call));
    made.set(region_fields["runtime"], file_or_none(file));
    return made.done();
}

py::object with_members(const py::handle &region, const Members &found) {
    const GivenModel given(type_of<region_fields>(), region);
    ModelValue made(type_of<region_fields>(), py::reinterpret_borrow<py::tuple>(region));
    made.set(region_fields["threads"],
             each(found.threads, [](const std::optional<int> &one) { return to_python(one); }));
    made.set(region_fields["absent"], each(found.absent, &absent_thread));
    made.set(region_fields["starting"], to_python(found.is_starting));
    if (found.is_complete) {
        made.set(region_fields["doubts"], doubts_but_of("threads", given[region_fields["doubts"]]));
    }
    return made.done();
}

py::tuple doubts_but_of(std::string_view fact, const py::handle &doubts) {
    py::list found;
    for (const py::handle doubt : doubts) {
        if (text_in(GivenModel(type_of<doubt_fields>(), doubt)[doubt_fields["fact"]]) != fact) {
            found.append(doubt);
        }
    }
    return found;
}

ModelTask to_task(const PlacedTask &task) {
    const TaskFacts &facts = task.facts;
    Doubts doubts;
    ModelValue made(type_of<task_fields>());
    made.set(task_fields["gdb_num"], to_python(facts.gdb_num));
    made.set(task_fields["depth"], to_python(facts.depth));
    made.set(task_fields["task_id"], to_python(facts.identity));
    made.set(task_fields["kind"], doubts.value("kind", facts.kind));
    made.set(task_fields["final"], doubts.value("final", facts.final_task));
    doubts.value("frames", facts.enter_frame);
    ModelValue frames(type_of<task_frames_fields>());
    frames.set(task_frames_fields["enter"], to_python(to_known(facts.enter_frame.value)));
    frames.set(task_frames_fields["exit"], to_python(to_known(facts.exit_frame.value)));
    made.set(task_fields["frames"], frames.done());
    doubts.value("function", facts.function);
    doubts.value("region", facts.region);
    doubts.value("generating", facts.generating);
    made.set(task_fields["generating"], to_python(depth(facts.generating.value)));
    doubts.value("scheduling", facts.scheduling);
    made.set(task_fields["scheduling"], to_python(depth(facts.scheduling.value)));
    made.set(task_fields["running"], to_python(facts.depth == 0));
    set_place(made, place_fields_of(task_fields), task.place);
    add_lacking(doubts, task);
    made.set(task_fields["doubts"], doubts.all());
    return made.done();
}

ModelWaitingTask to_waiting_task(const PlacedWaitingTask &task) {
    const WaitingTaskFacts &facts = task.facts;
    ModelValue made(type_of<waiting_task_fields>());
    made.set(waiting_task_fields["task_id"], to_python(facts.identity));
    made.set(waiting_task_fields["where"], to_model(facts.where));
    made.set(waiting_task_fields["final"], to_python(facts.final_task));
    made.set(waiting_task_fields["queue"], to_python(facts.queue));
    if (facts.creator) {
        ModelValue by(type_of<creator_fields>());
        by.set(creator_fields["kind"], to_model(*facts.creator));
        by.set(creator_fields["thread_num"], to_python(facts.creator_thread_num));
        set_place(by, place_fields_of(creator_fields), task.creator);
        made.set(waiting_task_fields["creator"], by.done());
    }
    made.set(waiting_task_fields["region"], to_python(number_of(facts.region, task.first_region)));
    if (facts.generated_by.value_or(0) != 0) {
        made.set(waiting_task_fields["generated_by"], to_python(facts.generated_by));
    }
    made.set(waiting_task_fields["tied"], to_python(facts.tied));
    set_place(made, place_fields_of(waiting_task_fields), task.place);
    return made.done();
}

}  // namespace gdb_ompd
