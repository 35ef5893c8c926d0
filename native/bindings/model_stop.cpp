// SPDX-License-Identifier: Apache-2.0
#include "model_stop.hpp"

#include "ompd/signal_guard.hpp"

#include <algorithm>
#include <iterator>
#include <set>

namespace gdb_ompd {

namespace {

constexpr auto waited_fields = fields("WaitsFor", "kind", "address", "name");

std::vector<ModelTask> to_tasks(const std::vector<PlacedTask> &tasks) {
    std::vector<ModelTask> found;
    std::ranges::transform(tasks, std::back_inserter(found), &to_task);
    return found;
}

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

// Of one that executes a target region on the host: KNOWN has been put right.
void set_initial(ModelValue &made, const GivenModel &row, const KnownThread &known) {
    const bool is_worker = known.kind == ThreadKind::worker;
    made.set(row_fields["kind"],
             is_worker ? model_word("ThreadKind", "WORKER") : py::object(py::none()));
    made.set(row_fields["thread_num"], py::cast(known.thread_num));
    made.set(row_fields["team_size"], py::cast(known.team_size));
    made.set(row_fields["level"], py::cast(known.level));
    made.set(row_fields["active_level"], py::cast(known.level));
    made.set(row_fields["memberships"],
             py::make_tuple(py::object(to_model(Membership{known.thread_num, known.team_size}))));
    made.set(row_fields["task"], to_model(TaskKind::initial));
    if (row[row_fields["state"]].is_none()) {
        made.set(row_fields["state"], py::cast(known.state));
    }
    if (is_worker) {
        made.set(row_fields["doubts"], doubts_but_of("kind", row[row_fields["doubts"]]));
    }
}

}  // namespace

// Threads

ModelThreads ModelStop::threads() {
    if (threads_) {
        return *threads_;
    }
    const AllRuntimes &all = stop_.all_runtimes();
    std::vector<py::tuple> of_runtimes;
    for (std::size_t position = 0; position < all.size(); ++position) {
        of_runtimes.emplace_back(
            to_threads(all.natives(), all.facts(position).threads, all.first_region(position)));
    }
    const std::vector<KnownThread> &known = stop_.every_thread();
    py::tuple rows(known.size());
    for (std::size_t row = 0; row < rows.size(); ++row) {
        rows[row] = of_runtimes.at(all.runtime_of(row))[row];
        const GivenModel given(type_of<row_fields>(), rows[row]);
        if (known[row].is_unread && given[row_fields["error"]].is_none()) {
            ModelValue made(type_of<row_fields>(), rows[row]);
            made.set(row_fields["kind"], py::none());
            made.set(row_fields["error"], to_text(all.doubt()));
            rows[row] = made.done();
        }
    }
    threads_ = rows;
    return *threads_;
}

ModelThreads ModelStop::unread_threads() const {
    const std::vector<NativeThread> &natives = stop_.natives();
    return to_threads(natives, std::vector<ThreadFacts>(natives.size()), 0);
}

ModelThreads ModelStop::with_targets(const ModelThreads &threads, const Stop::Threads &found) {
    const py::tuple rows(threads);
    py::tuple all(rows.size());
    for (std::size_t at = 0; at < found.size(); ++at) {
        const ThreadInTarget &one = found[at];
        all[at] = rows[at];
        if (!one.listed && !one.target) {
            continue;
        }
        ModelValue made(type_of<row_fields>(), borrowed(rows[at]));
        if (one.target) {
            made.set(row_fields["target"], to_target(one.target, host_.names()));
        }
        if (one.listed) {
            set_listed(made, *one.listed);
        }
        if (one.is_initial) {
            const py::object so_far = made.done();
            ModelValue initial(type_of<row_fields>(), so_far);
            set_initial(initial, GivenModel(type_of<row_fields>(), so_far), one.thread);
            all[at] = initial.done();
        } else {
            all[at] = made.done();
        }
    }
    return {all};
}

ModelThreads ModelStop::listed(bool locations) {
    const GuardSpan guard;
    const ModelThreads rows = threads();
    if (locations) {
        const Stop::Threads found = stop_.listed();
        for (const ThreadInTarget &one : found) {
            if (one.listed && !one.listed->disagreement.empty()) {
                disagreements_[one.thread.gdb_num] = one.listed->disagreement;
            }
        }
        return with_targets(rows, found);
    }
    return with_targets(rows, stop_.in_targets());
}

ModelThreads ModelStop::plain_threads(bool locations) {
    const GuardSpan guard;
    ModelThreads rows = unread_threads();
    if (!locations) {
        return rows;
    }
    const StopWaits::Waits waits = stop_.waits(stop_.stopped());
    const py::tuple placed(with_targets(rows, stop_.in_targets()));
    py::tuple made(placed.size());
    for (std::size_t at = 0; at < made.size(); ++at) {
        ModelValue row(type_of<row_fields>(), borrowed(placed[at]));
        const auto wait = waits.find(stop_.natives()[at].gdb_num);
        row.set(row_fields["location"],
                location_of(wait == waits.end() ? nullptr : wait->second->location));
        made[at] = row.done();
    }
    return {made};
}

// Regions, ICVs and variables

ModelRegions ModelStop::teams() {
    if (!teams_) {
        const AllRuntimes &all = stop_.all_runtimes();
        py::list found;
        for (std::size_t position = 0; position < all.size(); ++position) {
            const int first = all.first_region(position);
            for (const py::handle one : py::tuple(to_regions(all.facts(position).regions, first))) {
                found.append(one);
            }
        }
        teams_ = py::tuple(found);
    }
    return *teams_;
}

ModelRegions ModelStop::regions() {
    if (regions_) {
        return *regions_;
    }
    const GuardSpan guard;
    const py::tuple given(teams());
    const AllRuntimes &all = stop_.all_runtimes();
    py::tuple placed(given.size());
    for (std::size_t at = 0; at < given.size(); ++at) {
        const KnownRegion &known = all.regions()[at];
        const std::string file = all.distinct_file(all.runtime_of_region(known.number));
        placed[at] = to_placed(given[at], stop_.constructs().region(known.number), file);
        if (const auto members = stop_.members(known)) {
            placed[at] = with_members(placed[at], *members);
        }
    }
    regions_ = placed;
    return *regions_;
}

std::vector<ModelIcv> ModelStop::icvs(const std::vector<int> &gdb_nums,
                                      const std::vector<int> &regions) {
    const GuardSpan guard;
    AllRuntimes &all = stop_.all_runtimes();
    std::vector<ModelIcv> found;
    for (std::size_t position = 0; position < all.size(); ++position) {
        for (const IcvFacts &one : all.reader(position).icvs(all.known_to(position, gdb_nums),
                                                             all.own_regions(position, regions))) {
            found.push_back(to_icv(one, all.first_region(position), all.distinct_file(position)));
        }
    }
    return found;
}

std::vector<ModelVariable> ModelStop::control_variables() {
    const GuardSpan guard;
    AllRuntimes &all = stop_.all_runtimes();
    std::vector<ModelVariable> found;
    for (std::size_t position = 0; position < all.size(); ++position) {
        for (const ControlVariable &one : all.reader(position).control_variables()) {
            found.push_back(to_control_variable(one, all.distinct_file(position)));
        }
    }
    return found;
}

// Tasks

std::vector<ModelTask> ModelStop::tasks(const std::vector<int> &gdb_nums) {
    const GuardSpan guard;
    return to_tasks(stop_.tasks(gdb_nums));
}

std::vector<ModelTask> ModelStop::implicit_tasks(int region) {
    const GuardSpan guard;
    return to_tasks(stop_.constructs().implicit_tasks(region));
}

std::vector<code::Value> ModelStop::task_functions(int gdb_num) {
    const GuardSpan guard;
    std::vector<code::Value> found;
    for (const PlacedTask &task : stop_.constructs().chains(std::vector{gdb_num})) {
        found.push_back(task.function);
    }
    return found;
}

bool ModelStop::executes_task(int gdb_num, std::uint64_t pc, int jumps) {
    const GuardSpan guard;
    const auto chain = stop_.constructs().chains(std::vector{gdb_num});
    code::UserCalls &calls = stop_.stacks().reader().calls();
    return std::ranges::any_of(chain, [&](const PlacedTask &task) {
        return task.facts.kind.value == TaskKind::explicit_ && task.function &&
               calls.goes_on_to(*task.function, pc, jumps);
    });
}

ModelWaitingTasks ModelStop::waiting_tasks(bool of_held) {
    const GuardSpan guard;
    using Places = RegionsAndTasks::Places;
    RegionsAndTasks::Waiting read =
        stop_.constructs().waiting_tasks(of_held ? Places::of_held : Places::all);
    ModelWaitingTasks found{{}, std::move(read.notes), std::move(read.unknown)};
    std::ranges::transform(read.tasks, std::back_inserter(found.tasks), &to_waiting_task);
    return found;
}

// Waits

ModelWait ModelStop::wait(int gdb_num) {
    const GuardSpan guard;
    return WaitValues().of(stop_.wait(gdb_num));
}

WaitsByThread ModelStop::waits() {
    const GuardSpan guard;
    WaitValues values;
    py::dict found;
    for (const auto &[number, wait] : stop_.waits(stop_.stopped())) {
        found[py::int_(number)] = values.of(wait);
    }
    return {found};
}

ThreadsRead ModelStop::facts() {
    const GuardSpan guard;
    const bool are_known = stop_.known() != nullptr;
    const Stop::Threads threads = stop_.in_targets();
    const ModelThreads rows = with_targets(are_known ? this->threads() : unread_threads(), threads);
    const GatheredFacts found = stop_.facts(threads);
    return {rows, to_ats(rows, threads, found, host_.names()), to_lock_words(found),
            found.called_back};
}

std::map<int, ThreadLoop> ModelStop::loops(const std::vector<int> &gdb_nums) {
    const GuardSpan guard;
    // The stacks that are unwound for their places are those that are asked below.
    static_cast<void>(stop_.places(gdb_nums));
    std::map<int, ThreadLoop> found;
    for (const int number : gdb_nums) {
        if (const auto loop = stop_.loop(number)) {
            found.emplace(number, *loop);
        }
    }
    return found;
}

}  // namespace gdb_ompd
