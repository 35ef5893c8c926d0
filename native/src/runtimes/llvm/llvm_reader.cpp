// SPDX-License-Identifier: Apache-2.0
#include "runtimes/llvm/llvm_reader.hpp"

#include "elf/address_space.hpp"
#include "runtimes/llvm/alone.hpp"
#include "runtimes/thread_pointer.hpp"

#include <algorithm>
#include <array>
#include <string_view>

namespace gdb_ompd::llvm {

namespace {

constexpr const char *maybe_starting =
    "either no OpenMP thread, or one that the runtime is just starting";

// States that LLVM's runtime sets and its OMPD library does not name.
constexpr std::array<std::pair<std::string_view, const char *>, 2> unnamed{
    {{"state_0x15", "wait_barrier_implementation"}, {"state_0x16", "wait_barrier_teams"}}};
// They hold where the number before them is this one's.
constexpr ompd_word_t before_unnamed = 0x14;
constexpr const char *name_before_unnamed = "wait_barrier_explicit";

void set_error(ThreadFacts &facts, const Inconsistent &error) {
    const int gdb_num = facts.gdb_num;
    facts = {};
    facts.gdb_num = gdb_num;
    facts.error = error.what();
}

// The region around KEY's, none if it is the outermost.
std::optional<RegionKey> enclosing(const RegionKey &key, const Team &team) {
    return key.nest > 0 ? std::optional(RegionKey{key.team, key.nest - 1})
                        : innermost_region(team.parent);
}

}  // namespace

LlvmReader::LlvmReader(std::shared_ptr<Library> library, const std::shared_ptr<AddressSpace> &space)
    : OmpdReader(std::move(library), space), layout_(Layout::read(*space)),
      places_(layout_, [this] {
          const auto &known = fields();
          return known ? known->find(nested_regions) : std::nullopt;
      }) {}

void LlvmReader::set_corrections(bool on) {
    if (on != is_on_) {
        is_on_ = on;
        end_stop();
    }
}

void LlvmReader::set_boundary(Boundary boundary) {
    if (boundary != boundary_) {
        boundary_ = boundary;
        end_stop();
    }
}

void LlvmReader::set_records(TaskRecords::CodeRanges code, AskFields fields) {
    code_ = std::move(code);
    ask_fields_ = std::move(fields);
}

void LlvmReader::end_stop() noexcept {
    stop_.reset();
    records_.reset();
    OmpdReader::end_stop();
}

const StopFacts &LlvmReader::read(std::span<const NativeThread> natives) {
    const KernelReads reads(space().cache(), kernels_process());
    OmpdReader::read(natives);
    if (!is_on_) {
        return facts_;
    }
    stop_ = std::make_unique<Stop>(space(), places_, threads_array(space()), boundary_);
    find_threads(natives);
    find_starting(natives);
    correct_regions();
    for (ThreadFacts &facts : facts_.threads) {
        const auto found = stop_->threads.find(facts.gdb_num);
        if (found == stop_->threads.end() || !facts.error.empty()) {
            continue;
        }
        try {
            correct_thread(facts, found->second);
        } catch (const Inconsistent &error) {
            set_error(facts, error);
        }
    }
    return facts_;
}

// Threads

void LlvmReader::read_ahead(std::span<const NativeThread> natives) {
    std::vector<TargetAddr> pointers;
    for (const NativeThread &native : natives) {
        const auto pointer = native.running || !native.pthread_id
                                 ? std::nullopt
                                 : space().pthread_pointer(*native.pthread_id);
        if (pointer) {
            pointers.push_back(*pointer);
        }
    }
    read_records_ahead(space(), places_, pointers);
}

void LlvmReader::find_threads(std::span<const NativeThread> natives) {
    const TargetAddr threads = threads_array(space());
    for (std::size_t i = 0; i < natives.size(); ++i) {
        ThreadFacts &facts = facts_.threads[i];
        if (handle_of(natives[i].gdb_num) == nullptr || !facts.error.empty()) {
            continue;
        }
        try {
            const auto pointer = thread_pointer(space(), natives[i]);
            const auto record =
                pointer ? thread_record(Memory(space()), places_, threads, *pointer) : std::nullopt;
            if (!record) {
                continue;
            }
            if (record->is_of_another_than(natives[i].pthread_id)) {
                throw Inconsistent(another_threads);
            }
            const OmpThread thread = stop_->teams.thread_of(*record);
            stop_->threads.emplace(facts.gdb_num, thread);
            stop_->gdb_nums.emplace(thread.address.value, facts.gdb_num);
        } catch (const Inconsistent &error) {
            set_error(facts, error);
        }
    }
}

// Workers that are in a team and have not run yet do not know their own number, but the
// runtime knows their pthread_t, or will in a moment. So it does of threads that run now, whose
// places in their teams are known by it, and nothing else.
void LlvmReader::find_starting(std::span<const NativeThread> natives) {
    std::unordered_map<std::uint64_t, std::size_t> unknown;
    for (std::size_t i = 0; i < natives.size(); ++i) {
        const ThreadFacts &facts = facts_.threads[i];
        const bool is_known = stop_->threads.contains(facts.gdb_num);
        const bool is_asked = facts.error.empty() || natives[i].running;
        if (!is_known && is_asked && natives[i].pthread_id) {
            unknown.emplace(*natives[i].pthread_id, i);
        }
    }
    if (unknown.empty()) {
        return;
    }
    std::unordered_map<std::uint64_t, const Team *> teams;
    for (const auto &[gdb_num, thread] : stop_->threads) {
        for (const Team *team = thread.team; team != nullptr; team = team->parent) {
            teams.emplace(team->address.value, team);
        }
    }
    bool is_unmatched = false;
    for (const auto &[at, team] : teams) {
        for (const TargetAddr address : team->threads) {
            if (stop_->gdb_nums.contains(address.value)) {
                continue;
            }
            const auto found =
                unknown.find(address.value != 0 ? stop_->teams.pthread_id(address) : 0);
            if (found == unknown.end()) {
                is_unmatched = true;
                continue;
            }
            const NativeThread &native = natives[found->second];
            if (!native.running) {
                stop_->threads.emplace(native.gdb_num,
                                       stop_->teams.thread_at(address, std::nullopt));
            }
            stop_->gdb_nums.emplace(address.value, native.gdb_num);
            unknown.erase(found);
        }
    }
    for (const auto &[pthread_id, i] : unknown) {
        if (is_unmatched && !natives[i].running) {
            facts_.threads[i].kind = {};
            facts_.threads[i].error = maybe_starting;
        }
    }
}

void LlvmReader::correct_thread(ThreadFacts &facts, const OmpThread &thread) {
    const ThreadKind kind = stop_->helpers.is_one(thread)   ? ThreadKind::helper
                            : thread.root == thread.address ? ThreadKind::initial
                                                            : ThreadKind::worker;
    const Correction &rule = !thread.gtid             ? corrections::starting_workers
                             : thread.team != nullptr ? region_rule(*thread.team)
                                                      : corrections::idle_workers;
    correct(facts.kind, kind, corrections::kinds_of_threads,
            asks_by_lwp() ? ompd_rc_unavailable : ompd_rc_ok);
    if (facts.level.failed != nullptr) {
        return;  // where it is, nobody said
    }
    facts.idle = thread.team == nullptr || kind == ThreadKind::helper;
    if (stop_->helpers.is_outside(thread)) {
        facts.thread_num = facts.team_size = facts.level = facts.active_level = facts.region = {};
        facts.task = {};
        facts.memberships.clear();
        facts.wait_id.reset();
        correct(facts.state, std::string("idle"), corrections::idle_workers,
                ompd_rc_needs_state_tracking);
        return;
    }
    const Team &team = *thread.team;
    correct(facts.thread_num, thread.thread_num, rule);
    if (const auto league = team_of_league(team, thread.thread_num)) {
        const char *const source = corrections::leagues.name;
        facts.team_num = Fact<int>::from(source, league->team_num);
        facts.num_teams = Fact<int>::from(source, league->num_teams);
        facts.league = {league->league.value};
        facts.league_level = league->level;
    } else {
        facts.team_num = {0};
        facts.num_teams = {1};
        facts.league = {std::uint64_t{0}};
    }
    correct(facts.team_size, team.size, rule);
    correct(facts.level, team.level, rule);
    correct(facts.active_level, team.active_level, rule);
    // By LWP the library does not say which thread of the program a region's is.
    if (facts.thread_num.failed == nullptr && facts.team_size.failed == nullptr &&
        (facts.memberships_failed == nullptr || asks_by_lwp())) {
        facts.memberships = llvm::memberships(team, thread.thread_num);
        facts.memberships_failed = nullptr;
    }
    correct_region(facts.region, innermost_region(&team), rule);
    correct_state(facts, team.level);
    const auto kind_of_task = stop_->chains.current_kind(thread);
    if (kind_of_task) {
        correct(facts.task, *kind_of_task, corrections::shared_tasks);
    } else {
        withdraw(facts.task, corrections::shared_tasks);
    }
}

void LlvmReader::correct_state(ThreadFacts &facts, int level) const {
    if (!facts.state.known()) {
        return;
    }
    for (const auto &[number, name] : unnamed) {
        if (*facts.state.value == number &&
            state_name(before_unnamed).value == name_before_unnamed) {
            correct(facts.state, std::string(name), corrections::unnamed_states);
        }
    }
    if (*facts.state.value == "work_serial" || *facts.state.value == "work_parallel") {
        correct(facts.state, std::string(level > 0 ? "work_parallel" : "work_serial"),
                corrections::states_by_level);
    }
}

// Regions

// Under which rule the library may be wrong of a thread in TEAM, or of its regions.
const Correction &LlvmReader::region_rule(const Team &team) const {
    return boundary_.team.value != 0 && team.address == boundary_.team
               ? corrections::regions_at_events
               : corrections::nested_serialized_regions;
}

int LlvmReader::number_of(const std::optional<RegionKey> &key) const {
    const auto found = key ? std::ranges::find(stop_->keys, *key) : stop_->keys.end();
    return found == stop_->keys.end() ? 0 : static_cast<int>(found - stop_->keys.begin()) + 1;
}

// Have FACT, which is a number of the library's, say the number of KEY's region.
void LlvmReader::correct_region(Fact<int> &fact, const std::optional<RegionKey> &key,
                                const Correction &rule) const {
    const auto said = key ? stop_->said.find(*key) : stop_->said.end();
    const int number = number_of(key);
    if (fact.known() && *fact.value == (said == stop_->said.end() ? 0 : said->second)) {
        fact.value = number;
    } else {
        correct(fact, number, rule);
    }
}

// Notes the regions around a thread, beside what the library calls them.
void LlvmReader::note_regions(const ThreadFacts &facts, const OmpThread &thread) {
    int number = facts.region.value.value_or(0);
    const Team *team = thread.team;
    for (auto key = innermost_region(team); key; key = enclosing(*key, *team)) {
        while (team->address != key->team) {
            team = team->parent;
        }
        const int level = team->level - (team->levels() - 1 - key->nest);
        const RegionFacts *said =
            number > 0 ? &facts_.regions[static_cast<std::size_t>(number) - 1] : nullptr;
        // The library has the innermost one's level for all that share a team.
        const auto level_said = said != nullptr ? said->level.value : std::nullopt;
        if (level_said && *level_said != level && *level_said != team->level) {
            said = nullptr;
        }
        stop_->teams_of.emplace(*key, team);
        int &known = stop_->said[*key];
        known = said != nullptr ? number : known;
        if (said != nullptr && said->parent.failed != nullptr) {
            stop_->orphans.emplace(*key, said->parent);
            return;
        }
        if (said != nullptr) {
            number = said->parent.value.value_or(0);
        }
    }
}

void LlvmReader::correct_regions() {
    for (const ThreadFacts &facts : facts_.threads) {
        const auto found = stop_->threads.find(facts.gdb_num);
        if (found != stop_->threads.end() && facts.error.empty() &&
            facts.region.failed == nullptr && facts.level.failed == nullptr &&
            !stop_->helpers.is_outside(found->second)) {
            note_regions(facts, found->second);
        }
    }
    number_below(std::nullopt);
    std::vector<RegionFacts> corrected;
    corrected.reserve(stop_->keys.size());
    for (const RegionKey &key : stop_->keys) {
        corrected.push_back(region_facts(key, facts_));
    }
    facts_.regions = std::move(corrected);
}

// A parent comes before its children, which are in the order of the threads that began them.
void LlvmReader::number_below(const std::optional<RegionKey> &parent) {
    using Order = std::tuple<int, int, RegionKey>;
    std::vector<Order> children;
    for (const auto &[key, team] : stop_->teams_of) {
        const auto outside = stop_->orphans.contains(key) ? std::nullopt : enclosing(key, *team);
        if (outside == parent) {
            const auto primary = stop_->gdb_nums.find(team->threads.front().value);
            children.emplace_back(team->master_tid,
                                  primary == stop_->gdb_nums.end() ? 0 : primary->second, key);
        }
    }
    std::ranges::sort(children);
    for (const auto &[master_tid, gdb_num, key] : children) {
        stop_->keys.push_back(key);
        number_below(key);
    }
}

RegionFacts LlvmReader::region_facts(const RegionKey &key, const StopFacts &said) const {
    const int number = stop_->said.at(key);
    const Team &team = *stop_->teams_of.at(key);
    RegionFacts facts =
        number > 0 ? said.regions[static_cast<std::size_t>(number) - 1] : RegionFacts{};
    const Correction &rule = region_rule(team);
    const auto orphan = stop_->orphans.find(key);
    facts.identity = key.identity();
    facts.is_helpers = stop_->helpers.have(team);
    if (orphan != stop_->orphans.end()) {
        facts.parent = orphan->second;
    } else {
        // The library's number of it is another one.
        facts.parent = {number_of(enclosing(key, team)), number > 0 ? nullptr : rule.name};
    }
    correct(facts.level, team.level - (team.levels() - 1 - key.nest), rule);
    correct(facts.active_level, team.active_level, rule);
    correct(facts.team_size, team.size, rule);
    if (facts.threads_failed == nullptr || asks_by_lwp()) {
        facts.threads_failed = nullptr;
        facts.threads.clear();
        for (const TargetAddr thread : team.threads) {
            const auto gdb_num = stop_->gdb_nums.find(thread.value);
            facts.threads.push_back(
                gdb_num == stop_->gdb_nums.end() ? std::nullopt : std::optional(gdb_num->second));
        }
        facts.primary = facts.threads.front();
    }
    const TargetAddr caller = stop_->teams.callers(team)[static_cast<std::size_t>(key.nest)];
    facts.caller = caller.value != 0 ? Fact<TargetAddr>::from(corrections::callers.name, caller)
                                     : Fact<TargetAddr>{};
    const bool is_refused = facts.function.code == ompd_rc_bad_input ||
                            facts.function.code == ompd_rc_needs_state_tracking;
    if (team.size > 1) {
        correct(facts.function, team.function, is_refused ? corrections::untracked : rule,
                is_refused ? facts.function.code : ompd_rc_ok);
    } else {
        facts.function = is_refused ? Fact<TargetAddr>{} : facts.function;
        withdraw(facts.function, corrections::serialized_functions);
    }
    return facts;
}

}  // namespace gdb_ompd::llvm
