// SPDX-License-Identifier: Apache-2.0
// What the threads of a stop wait for, with the teams that Python has.
#include "ompd/signal_guard.hpp"
#include "stop/region_members.hpp"

#include "facts.hpp"
#include "hang_values.hpp"
#include "model_stop.hpp"

#include <map>
#include <memory>
#include <set>
#include <utility>
#include <vector>

namespace gdb_ompd {

namespace {

using GivenTeams = Typed<"StopTeams">;

constexpr auto waited_fields = fields("WaitsFor", "kind", "address", "name");

// Python's teams; see StopTeams in the stub.
class PythonTeams : public StopTeams {
public:
    explicit PythonTeams(GivenTeams given) : given_(std::move(given)) {}

    const std::map<int, KnownThread> &threads() override {
        if (!known_) {
            known_.emplace();
            auto *const known = all();
            for (const py::handle each :
                 known == nullptr ? py::tuple() : py::tuple(known->threads())) {
                const GivenModel row(type_of<row_fields>(), each);
                KnownThread thread = to_known(row);
                if (thread.kind && thread.kind != ThreadKind::native && !thread.is_unread) {
                    known_->emplace(thread.gdb_num, std::move(thread));
                }
            }
        }
        return *known_;
    }
    bool is_early() override { return given_.attr("is_early")().cast<bool>(); }
    std::vector<int> stopped() override {
        return given_.attr("stopped")().cast<std::vector<int>>();
    }
    std::vector<KnownRegion> regions() override {
        auto *const known = all();
        return known == nullptr ? std::vector<KnownRegion>() : known->all().regions();
    }
    KnownRuntimes runtimes() override {
        auto *const known = all();
        return known == nullptr ? KnownRuntimes({}, {}) : known->all().known();
    }
    std::string library_call(int region) override { return stop().library_call(region); }
    std::optional<int> begun_by(int gdb_num) override {
        auto *const known = all();
        return known == nullptr ? std::nullopt : known->all().begun_by(gdb_num);
    }
    PlaceRef construct(int region, std::uint64_t pc) override {
        return stop().construct(region, pc);
    }
    ThreadPlaces places(const std::vector<int> &gdb_nums) override {
        return given_.attr("places")(gdb_nums).cast<ThreadPlaces>();
    }
    std::map<int, std::int64_t> devices(const std::vector<int> &gdb_nums) override {
        const GuardSpan guard;
        auto *const known = all();
        return known == nullptr ? std::map<int, std::int64_t>()
                                : known->all().default_devices(gdb_nums);
    }
    TasksOfThreads task_ids(const std::vector<int> &gdb_nums) {
        auto *const known = all();
        return known == nullptr ? TasksOfThreads() : known->all().task_ids(gdb_nums);
    }

    // Null where no library tells of the runtimes.
    ModelRuntimes *all() {
        if (!has_asked_) {
            runtimes_ = given_.attr("all_runtimes")();
            has_asked_ = true;
        }
        return runtimes_.is_none() ? nullptr : runtimes_.cast<ModelRuntimes *>();
    }

private:
    [[nodiscard]] ModelStop &stop() const { return *given_.attr("stop")().cast<ModelStop *>(); }

    const GuardSpan guard_;  // a question calls the runtimes' libraries for each thread
    py::object given_;
    py::object runtimes_;
    bool has_asked_ = false;
    std::optional<std::map<int, KnownThread>> known_;
};

// Threads as a listing has them, and how of some stack and runtime differ.
struct CompletedThreads {
    ModelThreads threads;
    std::map<int, std::string> disagreements;
};

// What is read of threads, and of the locks that they wait for.
struct ThreadsRead {
    ModelThreads rows;
    ModelAts threads;
    Typed<"tuple[tuple[int, LockWord], ...]"> locks;
    std::vector<CalledBack> called_back;
};

py::object waited(const py::object &kind, std::optional<std::uint64_t> address,
                  const std::optional<std::string> &name) {
    ModelValue made(type_of<waited_fields>());
    made.set(waited_fields["kind"], kind);
    made.set(waited_fields["address"], py::cast(address));
    made.set(waited_fields["name"], name_or_none(name));
    return made.done();
}

py::object waited(const Wait &wait) {
    return wait.kind == code::WaitKind::none
               ? py::object(py::none())
               : waited(word(std::string(text(wait.kind)).c_str()), wait.address, wait.name);
}

void set_listed(ModelValue &made, const Listed &listed) {
    made.set(row_fields["location"], location_of(listed.location));
    if (listed.has_state) {
        made.set(row_fields["state"],
                 listed.state ? word(std::string(*listed.state).c_str()) : py::object(py::none()));
    }
    if (listed.wait != nullptr) {
        made.set(row_fields["waits_for"], waited(*listed.wait));
    }
    if (listed.outside != nullptr) {
        const auto &[wait, call] = *listed.outside;
        made.set(row_fields["waits_for"], call.mutex
                                              ? waited(lock_name(call.lock), call.mutex, wait->name)
                                              : py::object(py::none()));
        made.set(row_fields["outside"],
                 text_or_none(call.function.empty() ? wait->outside : call.function));
    } else {
        made.set(row_fields["outside"], py::none());
    }
}

// What a thread is that executes a target region on the host: the initial one of a team of its own.
void set_initial(ModelValue &made, const GivenModel &row, bool is_worker) {
    made.set(row_fields["kind"],
             is_worker ? model_word("ThreadKind", "WORKER") : py::object(py::none()));
    made.set(row_fields["thread_num"], py::int_(0));
    made.set(row_fields["team_size"], py::int_(1));
    made.set(row_fields["level"], py::int_(0));
    made.set(row_fields["active_level"], py::int_(0));
    made.set(row_fields["memberships"], py::make_tuple(py::object(to_model(Membership{0, 1}))));
    made.set(row_fields["task"], to_model(TaskKind::initial));
    if (row[row_fields["state"]].is_none()) {
        made.set(row_fields["state"], word("work_serial"));
    }
    if (is_worker) {
        made.set(row_fields["doubts"], doubts_but_of("kind", row[row_fields["doubts"]]));
    }
}

class StopReader {
public:
    StopReader(HangReader &hangs, RegionReader &calls, std::uint64_t process)
        : hangs_(hangs), calls_(calls.calls()), names_(calls.names()), stacks_(calls.stacks()),
          process_(process), waits_(hangs, stacks_, names_, calls_),
          facts_(hangs, stacks_, names_) {}

    ModelWait place(int gdb_num, const GivenTeams &given) {
        PythonTeams teams(given);
        return WaitValues().of(waits_.place(gdb_num, teams).wait);
    }

    WaitsByThread waits(const std::vector<int> &gdb_nums, const GivenTeams &given) {
        PythonTeams teams(given);
        const StopWaits::Waits waits = waits_.waits(gdb_nums, teams);
        WaitValues values;
        py::dict found;
        for (const int number : gdb_nums) {
            found[py::int_(number)] = values.of(waits.at(number));
        }
        return {found};
    }

    CompletedThreads listed(const ModelThreads &threads, const GivenTeams &given) {
        PythonTeams teams(given);
        const std::vector<KnownThread> known = to_known(threads);
        std::vector<int> asked;
        for (const KnownThread &thread : known) {
            if (!thread.running && !thread.idle) {  // an idle worker has no frame of the user's
                asked.push_back(thread.gdb_num);
            }
        }
        const StopWaits::Waits waits = waits_.waits(asked, teams);
        const py::tuple rows(threads);
        py::tuple made(rows.size());
        CompletedThreads found;
        const auto targets = TeamTargets(stacks_, teams).of(known);
        for (std::size_t at = 0; at < known.size(); ++at) {
            const KnownThread &thread = known[at];
            const auto wait = waits.find(thread.gdb_num);
            made[at] = rows[at];
            if (wait != waits.end()) {
                const Listed one = gdb_ompd::listed(thread, waits_.place(thread.gdb_num, teams),
                                                    waits_.outside(thread, wait->second));
                ModelValue row(type_of<row_fields>(), borrowed(rows[at]));
                set_listed(row, one);
                set_target(row, rows[at], thread, targets[at], teams);
                made[at] = row.done();
                if (!one.disagreement.empty()) {
                    found.disagreements[thread.gdb_num] = one.disagreement;
                }
            }
        }
        found.threads = made;
        return found;
    }

    ModelThreads in_targets(const ModelThreads &threads, const GivenTeams &given) {
        PythonTeams teams(given);
        return with_targets(threads, to_known(threads), targets_of(threads, teams), teams);
    }

    ModelRegions regions(ModelStop &stop, const GivenTeams &given) {
        PythonTeams teams(given);
        const py::tuple placed(stop.regions());
        const std::vector<KnownRegion> &known = stop.runtimes().all().regions();
        const std::vector<KnownThread> threads = to_known(stop.runtimes().threads());
        TeamTargets targets(stacks_, teams);
        RegionMembers members(stop.runtimes().all(), hangs_, waits_, calls_, process_);
        py::tuple found(placed.size());
        for (std::size_t at = 0; at < found.size(); ++at) {
            found[at] =
                known[at].lacks_threads()
                    ? with_members(placed[at], members.of(known[at], threads, teams, targets))
                    : borrowed(placed[at]);
        }
        return {found};
    }

    ThreadsRead facts(const ModelThreads &threads, const GivenTeams &given) {
        PythonTeams teams(given);
        const Targets targets = targets_of(threads, teams);
        const ModelThreads rows = with_targets(threads, to_known(threads), targets, teams);
        const std::vector<KnownThread> known = to_known(rows);
        const GatheredFacts found =
            facts_.read(known, waits_, teams,
                        [&](const std::vector<int> &active) { return teams.task_ids(active); });
        return {rows, to_ats(rows, known, found, names_, targets), to_lock_words(found),
                found.called_back};
    }

private:
    using Targets = std::vector<std::optional<TargetConstruct>>;

    Targets targets_of(const ModelThreads &threads, PythonTeams &teams) {
        return TeamTargets(stacks_, teams).of(to_known(threads));
    }

    ModelThreads with_targets(const ModelThreads &threads, const std::vector<KnownThread> &known,
                              const Targets &targets, PythonTeams &teams) {
        const py::tuple rows(threads);
        py::tuple found(rows.size());
        for (std::size_t at = 0; at < known.size(); ++at) {
            ModelValue made(type_of<row_fields>(), borrowed(rows[at]));
            set_target(made, rows[at], known[at], targets[at], teams);
            found[at] = made.done();
        }
        return found;
    }

    void set_target(ModelValue &made, const py::handle &row, const KnownThread &thread,
                    const std::optional<TargetConstruct> &target, PythonTeams &teams) {
        made.set(row_fields["target"], to_target(target, names_));
        auto *const known = teams.all();
        if (known != nullptr && target && target->executes_on_host() && thread.may_be_hidden()) {
            if (!hidden_) {
                hidden_ = RegionMembers(known->all(), hangs_, waits_, calls_, process_).hidden();
            }
            set_initial(made, GivenModel(type_of<row_fields>(), row),
                        hidden_->contains(thread.gdb_num));
        }
    }

    HangReader &hangs_;
    RegionCalls &calls_;
    PythonNames &names_;
    WholeStacks &stacks_;
    std::uint64_t process_;
    StopWaits waits_;
    FactsReader facts_;
    std::optional<std::set<int>> hidden_;  // once they are asked for
};

}  // namespace

void init_stop_waits(py::module_ &module) {
    py::class_<CalledBack>(module, "CalledBack",
                           "A function that the program gives to be called back, and that may let "
                           "a lock go.")
        .def_readonly("lock", &CalledBack::lock, "The lock's address.")
        .def_readonly("function", &CalledBack::function, "Where the function begins.");
    py::class_<CompletedThreads>(module, "CompletedThreads", "Threads as a listing has them.")
        .def_readonly("threads", &CompletedThreads::threads)
        .def_readonly("disagreements", &CompletedThreads::disagreements,
                      "How stack and runtime differ, by GDB number.");
    py::class_<ThreadsRead>(module, "ThreadsRead", "The facts of a stop's threads.")
        .def_readonly("rows", &ThreadsRead::rows, "As in_targets has them.")
        .def_readonly("threads", &ThreadsRead::threads, "One At for each.")
        .def_readonly("locks", &ThreadsRead::locks,
                      "What runtimes record of the locks that are waited for, by address.")
        .def_readonly("called_back", &ThreadsRead::called_back,
                      "What may let these go whenever it is called back.");
    py::class_<StopReader>(
        module, "StopReader",
        "What the threads of one stop of a PROCESS, by its number, wait for, and in which teams "
        "they are. TEAMS is what the runtimes tell: see StopTeams.")
        .def(py::init<HangReader &, RegionReader &, std::uint64_t>(), py::arg("hangs"),
             py::arg("calls"), py::arg("process"), py::keep_alive<1, 2>(), py::keep_alive<1, 3>())
        .def("place", &StopReader::place, py::arg("gdb_num"), py::arg("teams"),
             "Return what a thread's stack shows that it waits for.")
        .def("waits", &StopReader::waits, py::arg("gdb_nums"), py::arg("teams"),
             "Return what threads wait for, by number.")
        .def("listed", &StopReader::listed, py::arg("threads"), py::arg("teams"),
             "Return THREADS with where they are and what they do outside of the user's code, "
             "and with states that the runtime does not record.")
        .def("in_targets", &StopReader::in_targets, py::arg("threads"), py::arg("teams"),
             "Return THREADS with the target constructs that they are in, and with what those are "
             "that execute one on the host.")
        .def("regions", &StopReader::regions, py::arg("stop"), py::arg("teams"),
             "Return the regions of a STOP with those of their threads that the runtimes' records "
             "lack.")
        .def("facts", &StopReader::facts, py::arg("threads"), py::arg("teams"),
             "Return the facts of THREADS that a verdict on a hang is concluded from.");
}

}  // namespace gdb_ompd
