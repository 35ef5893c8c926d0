// SPDX-License-Identifier: Apache-2.0
#include "stop/thread_facts.hpp"

#include <algorithm>
#include <utility>

namespace gdb_ompd {

using code::WaitKind;

namespace {

bool waits_in_kernel(const OutsideRef &outside) {
    return outside != nullptr &&
           (outside->call.mutex || outside->call.joins || outside->call.sleep != Sleep::none);
}

// The thread's wait as listings have it.
WaitRef completed(const KnownThread &thread, const WaitRef &own, bool in_runtime,
                  const OutsideRef &outside, bool in_known_code) {
    const WaitRef &wait = outside != nullptr ? outside->wait : own;
    const Shown shown = ThreadPlace::shown_in(*wait, in_runtime);
    const bool is_named = shown.kind != WaitKind::none || !shown.outside.empty() ||
                          (outside != nullptr && !outside->call.function.empty());
    const bool is_unnamed = !is_named && state_of(shown, thread.recorded()) == "overhead";
    if (!is_unnamed && in_known_code) {
        return wait;
    }
    Wait made = *wait;
    if (is_unnamed) {
        made.outside = the_runtime;
    }
    if (!in_known_code) {  // the debugger's frames, by another file or none, lead nowhere
        made.location = nullptr;
    }
    return std::make_shared<const Wait>(std::move(made));
}

}  // namespace

Listed listed(const KnownThread &thread, const ThreadPlace &place, OutsideRef outside) {
    Listed found;
    found.location = place.wait->location;
    const Shown shown = place.shown();
    const bool is_omp = thread.kind == ThreadKind::initial || thread.kind == ThreadKind::worker;
    if (thread.level || is_omp) {
        found.disagreement = disagreement(shown, thread.recorded());
        found.has_state = true;
        found.state = state_of(shown, thread.recorded());
        found.wait = wait_shown(shown_of(shown, thread.recorded()), place);
    } else if (is_mutex(shown.kind)) {  // GCC's runtime lets any thread wait for a lock of OpenMP's
        found.wait = place.wait;
    }
    // What the runtime says that a call waits for is more than the function it sleeps in.
    const bool is_told = shown.kind == WaitKind::none && !shown.entry_point.empty() &&
                         found.state && found.state->starts_with("wait_");
    found.outside = is_told ? nullptr : std::move(outside);
    return found;
}

GatheredFacts
FactsReader::read(const std::vector<KnownThread> &threads, StopWaits &waits, StopTeams &teams,
                  const std::function<TasksOfThreads(const std::vector<int> &)> &tasks_of) {
    std::vector<int> stopped;
    for (const KnownThread &thread : threads) {
        if (!thread.running) {
            stopped.push_back(thread.gdb_num);
        }
    }
    const StopWaits::Waits known = waits.waits(stopped, teams);
    const auto is_passive = [](WaitKind kind) {
        return is_in_pool(kind) || kind == WaitKind::not_begun;
    };
    std::vector<int> active;
    for (const KnownThread &thread : threads) {
        const auto wait = known.find(thread.gdb_num);
        if (thread.is_omp() && wait != known.end() && !is_passive(wait->second->kind)) {
            active.push_back(thread.gdb_num);
        }
    }
    const TasksOfThreads tasks = tasks_of(active);
    const KnownRuntimes runtimes = teams.runtimes();
    GatheredFacts found;
    std::vector<Awaiting> awaiting;
    std::vector<Row> rows;
    for (const KnownThread &thread : threads) {
        StandingFacts &facts = found.threads.emplace_back();
        const auto wait = known.find(thread.gdb_num);
        if (wait == known.end()) {
            continue;
        }
        Capabilities *const runtime = runtimes.of(thread.gdb_num);
        // A thread that has begun no region may wait for a lock, too.
        Capabilities *const of_locks = runtime != nullptr ? runtime : runtimes.only();
        const Row row{found.threads.size() - 1,
                      thread,
                      wait->second,
                      waits.place(thread.gdb_num, teams).in_runtime,
                      runtime,
                      of_locks};
        const WaitKind kind = row.wait->kind;
        facts.wait = row.wait;
        facts.is_idle = is_passive(kind) || thread.is_helper();
        if (!facts.is_idle) {
            const auto own = tasks.find(thread.gdb_num);
            facts.tasks = own == tasks.end() ? std::nullopt : std::optional(own->second);
            facts.outside = waits.outside(thread, row.wait);
            add(facts, row);
        }
        const auto address = is_mutex(kind) ? row.wait->address : std::nullopt;
        if (address && of_locks != nullptr && !found.locks.contains(*address)) {
            found.locks.emplace(*address, hangs_.lock(*of_locks, kind, TargetAddr{*address}));
        }
        const SystemCall *const call = facts.outside ? &facts.outside->call : nullptr;
        const bool is_read = call != nullptr && call->lock == LockType::rwlock;
        awaiting.push_back(call != nullptr && call->mutex && call->lets_others_unlock
                               ? Awaiting{thread.gdb_num,
                                          is_read ? WaitKind::rwlock : WaitKind::mutex, call->mutex}
                               : Awaiting{thread.gdb_num, kind, row.wait->address});
        rows.push_back(row);
    }
    add_polls(found, rows);
    for (const Row &row : rows) {
        if (const auto &tried = found.threads[row.number].hang.polls.tried) {
            found.locks.try_emplace(tried->object, hangs_.lock(standing(row), *tried));
            awaiting.push_back({row.thread.gdb_num, tried->kind, tried->object});
        }
    }
    Releases releases =
        hangs_.releases().of(awaiting, [this](int number) { return stacks_.of(number); });
    found.called_back = std::move(releases.called_back);
    for (std::size_t at = 0; at < threads.size(); ++at) {
        const auto ahead = releases.ahead.find(threads[at].gdb_num);
        if (ahead != releases.ahead.end()) {
            found.threads[at].may_let_go = ahead->second;
        }
    }
    return found;
}

StandingThread FactsReader::standing(const Row &row) {
    const KnownThread &thread = row.thread;
    const Wait &wait = *row.wait;
    return {thread.gdb_num,
            row.runtime,
            wait.kind,
            wait.sink ? wait.sink : wait.address,
            wait.undeferred,
            wait.outside,
            wait.entry_point,
            thread.region,
            thread.in_explicit_task,
            thread.thread_num,
            thread.team_size,
            row.of_locks};
}

void FactsReader::add(StandingFacts &facts, const Row &row) {
    const KnownThread &thread = row.thread;
    facts.hang = hangs_.read(standing(row), stacks_.of(thread.gdb_num));
    facts.is_busy = facts.hang.busy ? *facts.hang.busy : !is_in_body(thread.gdb_num, facts.tasks);
    facts.wait =
        completed(thread, row.wait, row.in_runtime, facts.outside, facts.hang.in_known_code);
}

void FactsReader::add_polls(GatheredFacts &found, const std::vector<Row> &rows) {
    for (const Row &row : rows) {
        StandingFacts &facts = found.threads[row.number];
        if (facts.is_idle || waits_in_kernel(facts.outside)) {
            continue;
        }
        const auto is_others = [&](const code::Tried &tried) {
            return std::ranges::any_of(found.threads, [&](const StandingFacts &other) {
                return &other != &facts &&
                       std::ranges::any_of(other.hang.held, [&](const HeldLock &held) {
                           return held.certain && held.kind == tried.kind &&
                                  held.object == tried.object;
                       });
            });
        };
        facts.hang.polls = hangs_.polls(standing(row), stacks_.of(row.thread.gdb_num),
                                        facts.hang.blocked, is_others);
    }
}

// Whether the current task's function has called what the thread waits in.
bool FactsReader::is_in_body(int gdb_num, const std::optional<TaskIds> &tasks) {
    if (!tasks) {
        return false;
    }
    const std::vector<CalledBody> bodies = stacks_.bodies(gdb_num);
    const CalledBody body = bodies.empty() ? CalledBody() : bodies.front();
    const bool by_task = body.caller != nullptr && body.caller->makes_task;
    std::uint64_t function = tasks->function;
    if (function == 0 && tasks->is_explicit && by_task) {
        function = body.function;
    }
    // One that has ended with a jump has no frame: the call that made the task tells it.
    return function != 0 &&
           ((by_task && body.function == function) || names_.is_in_body(gdb_num, function));
}

}  // namespace gdb_ompd
