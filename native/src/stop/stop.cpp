// SPDX-License-Identifier: Apache-2.0
#include "stop/stop.hpp"

#include <set>
#include <utility>

namespace gdb_ompd {

namespace {

std::vector<ProcessThread> process_threads(const std::vector<NativeThread> &natives) {
    std::vector<ProcessThread> found;
    found.reserve(natives.size());
    for (const NativeThread &thread : natives) {
        found.push_back({thread.gdb_num, thread.lwp,
                         thread.pthread_id == 0 ? std::nullopt : std::optional(thread.pthread_id)});
    }
    return found;
}

}  // namespace

Stop::Stop(std::vector<NativeThread> natives, std::uint64_t process, StopHost &host)
    : host_(host), process_(process),
      all_(std::make_shared<AllRuntimes>(
          std::move(natives), [&host](int gdb_num) { return host.stacks().fallbacks(gdb_num); })) {}

Stop::Readers::Readers(Stop &stop, StopHost &host)
    : hangs(host.stacks().reader(), process_threads(stop.natives()), host.readable_code(),
            host.is_forked(),
            [&host](std::uint64_t address) { return host.is_own_memory(address); }),
      waits(hangs, host.stacks().whole(), host.stacks().names(), host.stacks().calls()),
      facts(hangs, host.stacks().whole(), host.stacks().names()), targets(host.stacks(), stop),
      members(*stop.all_, hangs, waits, host.stacks().whole(), host.stacks().calls(),
              stop.process_) {}

Stop::Readers &Stop::readers() {
    if (!readers_) {
        readers_.emplace(*this, host_);
    }
    return *readers_;
}

// The runtimes

AllRuntimes *Stop::known() {
    if (!outcome_) {
        try {
            outcome_ = host_.add_runtimes(all_);
        } catch (...) {  // those that were added are added again
            all_->clear();
            throw;
        }
    }
    return *outcome_ == StopHost::Outcome::read ? all_.get() : nullptr;
}

AllRuntimes &Stop::all_runtimes() {
    if (known() == nullptr) {
        host_.fail();
    }
    return *all_;
}

RegionsAndTasks &Stop::constructs() {
    AllRuntimes &all = all_runtimes();
    if (!constructs_) {
        constructs_.emplace(all, stacks());
    }
    return *constructs_;
}

// What is asked of the teams

const std::map<int, KnownThread> &Stop::threads() {
    if (!threads_) {
        std::map<int, KnownThread> found;
        for (const KnownThread &thread : every_thread()) {
            if (thread.kind && thread.kind != ThreadKind::native && !thread.is_unread) {
                found.emplace(thread.gdb_num, thread);
            }
        }
        threads_ = std::move(found);
    }
    return *threads_;
}

bool Stop::is_early() { return known() == nullptr && outcome_ == StopHost::Outcome::early; }

std::vector<int> Stop::stopped() {
    std::vector<int> found;
    for (const NativeThread &thread : natives()) {
        if (!thread.running) {
            found.push_back(thread.gdb_num);
        }
    }
    return found;
}

std::vector<KnownRegion> Stop::regions() {
    return known() == nullptr ? std::vector<KnownRegion>() : all_->regions();
}

KnownRuntimes Stop::runtimes() {
    return known() == nullptr ? KnownRuntimes({}, {}) : all_->known();
}

std::string Stop::library_call(int region) { return constructs().region(region).library_call; }

std::optional<int> Stop::begun_by(int gdb_num) {
    return known() == nullptr ? std::nullopt : all_->begun_by(gdb_num);
}

std::map<int, std::int64_t> Stop::devices(const std::vector<int> &gdb_nums) {
    return known() == nullptr ? std::map<int, std::int64_t>() : all_->default_devices(gdb_nums);
}

PlaceRef Stop::construct(int region, std::uint64_t pc) {
    const PlaceRef &place = constructs().region(region).place;
    return place != nullptr && place->has_source ? stacks().names().with_pc(place, pc) : nullptr;
}

ThreadPlaces Stop::places(const std::vector<int> &gdb_nums) { return stacks().places(gdb_nums); }

// The threads

const std::vector<KnownThread> &Stop::every_thread() {
    if (!every_thread_ && known() != nullptr) {
        every_thread_ = all_->threads();
    } else if (!every_thread_) {
        every_thread_.emplace();
        for (const NativeThread &thread : natives()) {
            KnownThread &one = every_thread_->emplace_back();
            one.gdb_num = thread.gdb_num;
            one.running = thread.running;
        }
    }
    return *every_thread_;
}

Stop::Threads Stop::in_targets() {
    Threads found;
    const std::vector<KnownThread> &threads = every_thread();
    const auto targets = readers().targets.of(threads);
    for (std::size_t at = 0; at < threads.size(); ++at) {
        put_right(found.emplace_back(ThreadInTarget{threads[at], targets[at]}));
    }
    return found;
}

void Stop::put_right(ThreadInTarget &one) {
    KnownThread &thread = one.thread;
    if (known() == nullptr || !one.target || !one.target->executes_on_host() ||
        !thread.may_be_hidden()) {
        return;
    }
    one.is_initial = true;
    thread.kind =
        all_->is_worker(thread.gdb_num) ? std::optional(ThreadKind::worker) : std::nullopt;
    thread.thread_num = 0;
    thread.team_size = 1;
    thread.level = 0;
    thread.state = thread.state.value_or("work_serial");
}

Stop::Threads Stop::listed() {
    Threads found = in_targets();
    const std::vector<KnownThread> &threads = every_thread();
    std::vector<int> asked;
    for (const KnownThread &thread : threads) {
        if (!thread.running && !thread.idle) {  // an idle worker has no frame of the user's
            asked.push_back(thread.gdb_num);
        }
    }
    const StopWaits::Waits waits = this->waits(asked);
    for (std::size_t at = 0; at < threads.size(); ++at) {
        const auto wait = waits.find(threads[at].gdb_num);
        if (wait != waits.end()) {
            found[at].listed = gdb_ompd::listed(threads[at], stop_waits().place(wait->first, *this),
                                                stop_waits().outside(threads[at], wait->second));
        }
    }
    return found;
}

// GCC's runtime has no record of the initial task in which a worker executes a target region.
std::vector<PlacedTask> Stop::tasks(const std::vector<int> &gdb_nums) {
    std::vector<PlacedTask> found = constructs().tasks(gdb_nums);
    std::set<int> lacking(gdb_nums.begin(), gdb_nums.end());
    for (const PlacedTask &task : found) {
        lacking.erase(task.facts.gdb_num);
    }
    for (const ThreadInTarget &one : lacking.empty() ? Threads() : in_targets()) {
        if (one.is_initial && lacking.contains(one.thread.gdb_num)) {
            TaskFacts &facts = found.emplace_back().facts;
            facts.gdb_num = one.thread.gdb_num;
            facts.identity = ~static_cast<std::uint64_t>(one.thread.gdb_num);  // no other's
            facts.kind = {TaskKind::initial};
            facts.generating = facts.scheduling = {-1};
        }
    }
    return found;
}

std::optional<Members> Stop::members(const KnownRegion &region) {
    if (!region.lacks_threads()) {
        return std::nullopt;
    }
    return readers().members.of(region, every_thread(), *this);
}

StopWaits::Waits Stop::waits(const std::vector<int> &gdb_nums) {
    return stop_waits().waits(gdb_nums, *this);
}

GatheredFacts Stop::facts(const Threads &threads) {
    std::vector<KnownThread> known_threads;
    for (const ThreadInTarget &one : threads) {
        known_threads.push_back(one.thread);
    }
    return readers().facts.read(
        known_threads, stop_waits(), *this, [this](const std::vector<int> &active) {
            return known() == nullptr ? TasksOfThreads() : all_->task_ids(active);
        });
}

std::optional<ThreadLoop> Stop::loop(int gdb_num) {
    Capabilities *const records = all_runtimes().known().of(gdb_num);
    const auto own = threads().find(gdb_num);
    std::optional<code::PlaceInTeam> place;
    if (own != threads().end() && own->second.thread_num && own->second.team_size) {
        place = {*own->second.thread_num, *own->second.team_size};
    }
    return loop_of(stacks().reader().calls(), stacks().whole().of(gdb_num),
                   records == nullptr ? std::nullopt : records->loop(gdb_num), place);
}

std::vector<SizeOfRegion> Stop::team_sizes(const std::vector<int> &regions,
                                           Environment environment) {
    return TeamSizes(all_runtimes(), constructs(), stacks().names(), std::move(environment))
        .of(regions);
}

std::optional<int> Stop::without_workers() {
    return gdb_ompd::without_workers(all_runtimes(), readers().hangs);
}

}  // namespace gdb_ompd
