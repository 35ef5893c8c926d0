// SPDX-License-Identifier: Apache-2.0
#include "runtimes/ompd_reader.hpp"

#include "ompd/signal_guard.hpp"
#include "runtimes/ompd_asking.hpp"
#include "runtimes/thread_pointer.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <climits>
#include <limits>

namespace gdb_ompd {

namespace {

using Region = ParallelRegions::Region;

constexpr std::string_view state_prefix = "ompt_state_";
constexpr std::size_t pthread_size = 8;
// The kernel's numbers of threads are an int; a library may keep them in a word.
constexpr std::array<std::size_t, 2> lwp_sizes{4, 8};

void set_place_unknown(ThreadFacts &facts, const Failure &failure) {
    facts.level = facts.active_level = facts.team_size = facts.thread_num = facts.region =
        Fact<int>::unknown(failure.function, failure.code);
}

// Outside of regions a thread is alone.
void set_outside(ThreadFacts &facts) {
    facts.level = facts.active_level = facts.thread_num = facts.region = {0};
    facts.team_size = {1};
    facts.memberships = {{0, 1}};
    facts.kind = {ThreadKind::initial};
}

// The outermost region's primary thread has begun everything: it is the initial thread. Who is any
// other number of a team is a worker, also where a forked process lacks the primary thread.
Fact<ThreadKind> kind_in(const Region &region, int gdb_num) {
    const Region *outermost = &region;
    for (const Region *around = &region; around != nullptr; around = around->parent) {
        outermost = around;
        if (around->thread_num_of(gdb_num).value_or(0) > 0) {
            return {ThreadKind::worker};
        }
    }
    const auto primary = outermost->primary();
    if (!primary) {
        return Fact<ThreadKind>::unknown(outermost->threads_failed, ompd_rc_unavailable);
    }
    return {*primary == gdb_num ? ThreadKind::initial : ThreadKind::worker};
}

}  // namespace

void set_in(ThreadFacts &facts, const Region &region, const IcvTable &icvs,
            const IcvTable::Owners &owners) {
    facts.thread_num = icvs.number(icv_names::thread_num, owners, 0, max_team_size);
    if (icvs.has(icv_names::league_size)) {
        facts.team_num = icvs.number(icv_names::team_num, owners, 0, INT_MAX);
        facts.num_teams = icvs.number(icv_names::league_size, owners, 1, INT_MAX);
    }
    facts.level = region.level;
    facts.active_level = region.active_level;
    facts.team_size = region.team_size;
    set_memberships(facts, region);
    facts.kind = kind_in(region, facts.gdb_num);
}

OmpdReader::OmpdReader(std::shared_ptr<Library> library, std::shared_ptr<AddressSpace> space)
    : library_(std::move(library)), space_(std::move(space)) {}

Process &OmpdReader::process() {
    if (process_ == nullptr) {
        process_ = Process::initialize(library_, space_);
        enumerate(*process_);
    }
    return *process_;
}

void OmpdReader::enumerate(const Process &process) {
    icvs_.enumerate(process);
    if (states_code_ == ompd_rc_ok) {
        return;
    }
    states_code_ =
        failure_of(function_names.enumerate_states.name, [&] {
            states_.clear();
            for (auto &[number, name] : process.enumerate_states()) {
                const bool prefixed = name.starts_with(state_prefix);
                states_.emplace(number, prefixed ? name.substr(state_prefix.size()) : name);
            }
        }).code;
}

void OmpdReader::end_stop() noexcept {
    const GuardSpan one;  // the release of each handle is a call of the library
    tasks_.reset();
    regions_.reset();
    threads_.clear();
    gdb_nums_.clear();
    if (!keeps_process()) {
        process_.reset();
    }
    facts_ = {};
    space_->set_pthreads({});
    space_->cache().clear();  // a program that was killed meanwhile has no memory
}

// Threads

namespace {

constexpr const char *unidentified =
    "GDB does not tell on this target which of the C library's threads it is";

// Whether it is known where the thread has its own variables, by which runtimes know it.
bool is_identified(const AddressSpace &space, const NativeThread &thread) {
    return thread.pthread_id || space.target().thread_pointer(ompd_thread_id_lwp, thread.lwp);
}

// Whether the thread cannot be one that the runtime knows, whatever the library says: it has used
// none of the variables in which the runtime keeps that.
bool has_not_used_runtime(AddressSpace &space, const NativeThread &thread) {
    const auto has_not = ask_fact<bool>(function_names.get_thread_handle.name, [&] {
        const auto pointer = thread_pointer(space, thread);
        return pointer && space.has_not_used_home(*pointer);
    });
    return has_not.value.value_or(false);
}

}  // namespace

std::unique_ptr<ThreadHandle> OmpdReader::find(const Process &process, const NativeThread &thread) {
    const auto ask = [&](ompd_thread_id_t kind, std::uint64_t number, std::size_t size) {
        auto asked = ask_handle<ThreadHandle>(function_names.get_thread_handle.name, [&] {
            return process.obtain_thread(kind, number, size);
        });
        if (asked.handle != nullptr) {
            id_kind_ = kind;
            id_size_ = size;
        }
        return asked;
    };
    Asked<ThreadHandle> asked;
    if (id_size_ != 0 && (id_kind_ != ompd_thread_id_pthread || thread.pthread_id)) {
        asked = ask(id_kind_, id_kind_ == ompd_thread_id_lwp ? thread.lwp : *thread.pthread_id,
                    id_size_);
    } else {
        asked.failure = {function_names.get_thread_handle.name, ompd_rc_unsupported};
        if (thread.pthread_id) {
            asked = ask(ompd_thread_id_pthread, *thread.pthread_id, pthread_size);
        }
        for (const std::size_t size : lwp_sizes) {
            // What a library says of a kind or size that it does not have.
            if (asked.failure.code == ompd_rc_unsupported ||
                asked.failure.code == ompd_rc_bad_input) {
                asked = ask(ompd_thread_id_lwp, thread.lwp, size);
            }
        }
    }
    if (asked.handle == nullptr && asked.failure.code != ompd_rc_unavailable) {
        throw OmpdError(asked.failure.function, asked.failure.code);
    }
    return std::move(asked.handle);
}

std::optional<int> OmpdReader::gdb_num_of(const ThreadHandle &handle) const {
    const auto found = gdb_nums_.find(handle.thread_id(id_kind_, id_size_));
    return found == gdb_nums_.end() ? std::nullopt : std::optional(found->second);
}

const ThreadHandle *OmpdReader::handle_of(int gdb_num) const {
    const auto found = threads_.find(gdb_num);
    return found == threads_.end() ? nullptr : found->second.get();
}

const StopFacts &OmpdReader::read(std::span<const NativeThread> natives) {
    end_stop();
    std::unordered_set<std::uint64_t> pthreads;
    for (const NativeThread &native : natives) {
        if (native.pthread_id) {
            pthreads.insert(*native.pthread_id);
        }
    }
    space_->set_pthreads(std::move(pthreads));
    read_ahead(natives);
    const Process &process = this->process();
    facts_.threads.resize(natives.size());
    for (std::size_t i = 0; i < natives.size(); ++i) {
        const NativeThread &native = natives[i];
        ThreadFacts &facts = facts_.threads[i];
        facts.gdb_num = native.gdb_num;
        if (native.running) {
            facts.error = "the thread is running";
            continue;
        }
        const Failure failure = failure_of(function_names.get_thread_handle.name, [&] {
            if (auto handle = find(process, native)) {
                threads_.emplace(native.gdb_num, std::move(handle));
            } else if (is_identified(*space_, native)) {
                facts.kind = {ThreadKind::native};
            } else {
                facts.error = unidentified;
            }
        });
        if (failure.function != nullptr && has_not_used_runtime(*space_, native)) {
            facts.kind = {ThreadKind::native};
        } else if (failure.function != nullptr) {
            facts.error = std::string(failure.function) + ": " + error_string(failure.code);
        }
    }
    for (const NativeThread &native : natives) {
        const bool by_lwp = id_kind_ == ompd_thread_id_lwp;
        if (by_lwp || native.pthread_id) {
            gdb_nums_.emplace(by_lwp ? native.lwp : *native.pthread_id, native.gdb_num);
        }
    }
    regions_ = std::make_unique<ParallelRegions>(
        icvs_, [this](const ThreadHandle &thread) { return gdb_num_of(thread); });
    tasks_ = std::make_unique<TaskChains>(icvs_, *regions_);
    std::vector<const Region *> innermost;
    for (ThreadFacts &facts : facts_.threads) {
        const ThreadHandle *const handle = handle_of(facts.gdb_num);
        innermost.push_back(handle == nullptr ? nullptr : read_thread(facts, *handle));
    }
    facts_.regions = regions_->facts();
    for (std::size_t i = 0; i < innermost.size(); ++i) {
        if (innermost[i] != nullptr) {
            facts_.threads[i].region = {innermost[i]->number};
        }
    }
    return facts_;
}

const Region *OmpdReader::read_thread(ThreadFacts &facts, const ThreadHandle &handle) {
    read_state(facts, handle);
    auto current = curr_parallel(handle);
    const auto task = curr_task(handle);
    const Region *region = nullptr;
    if (current.handle != nullptr) {
        const Failure failure = failure_of(function_names.parallel_handle_compare.name, [&] {
            region = regions_->note(std::move(current.handle));
        });
        if (region == nullptr) {
            set_place_unknown(facts, failure);
        } else {
            set_in(facts, *region, icvs_, {&handle, region->handle.get(), task.handle.get()});
        }
    } else if (!current.none()) {
        set_place_unknown(facts, current.failure);
    } else if (task.handle != nullptr) {
        set_outside(facts);
    } else if (task.none()) {
        facts.idle = true;  // it has no place
        facts.kind = {ThreadKind::worker};
        return nullptr;
    } else {
        set_place_unknown(facts, task.failure);
    }
    facts.task = task.handle != nullptr ? kind_of_task(icvs_, *task.handle, facts.level)
                                        : task.unknown<TaskKind>();
    return region;
}

Fact<std::string> OmpdReader::state_name(ompd_word_t number) const {
    if (states_code_ != ompd_rc_ok) {
        return Fact<std::string>::unknown(function_names.enumerate_states.name, states_code_);
    }
    const auto found = states_.find(number);
    if (found != states_.end()) {
        return {found->second};
    }
    std::array<char, 2 * sizeof number + 1> digits{};
    const auto end = std::to_chars(digits.data(), digits.data() + digits.size(),
                                   static_cast<std::uint64_t>(number), 16);
    return {"state_0x" + std::string(digits.data(), end.ptr)};
}

void OmpdReader::read_state(ThreadFacts &facts, const ThreadHandle &handle) const {
    const Failure failure = failure_of(function_names.get_state.name, [&] {
        return take(handle.ask_state(), [&](const ThreadHandle::State &state) {
            facts.state = state_name(state.first);
            facts.wait_id = state.second == 0 ? std::nullopt : std::optional(state.second);
        });
    });
    if (failure.function != nullptr) {
        facts.state = Fact<std::string>::unknown(failure.function, failure.code);
    }
}

// Tasks and ICVs

std::vector<TaskFacts> OmpdReader::tasks(std::span<const int> gdb_nums) {
    std::vector<TaskFacts> found;
    for (const int gdb_num : gdb_nums) {
        const ThreadHandle *const handle = handle_of(gdb_num);
        if (handle == nullptr || is_idle(gdb_num)) {
            continue;
        }
        try {
            const auto &chain = tasks_->chain(gdb_num, *handle);
            found.insert(found.end(), chain.begin(), chain.end());
        } catch (const OmpdError &error) {
            if (gdb_nums.size() == 1) {
                throw;
            }
            found.push_back(tasks_->unknown_task(gdb_num, error));
        }
    }
    return found;
}

std::vector<TaskFacts> OmpdReader::implicit_tasks(int region) {
    const Region *const found = regions_ == nullptr ? nullptr : regions_->numbered(region);
    if (found == nullptr) {
        return {};
    }
    return tasks_->implicit_tasks(*found, [this](int gdb_num) { return handle_of(gdb_num); });
}

bool OmpdReader::is_idle(int gdb_num) const {
    const auto &threads = facts_.threads;
    return std::any_of(threads.begin(), threads.end(), [&](const ThreadFacts &facts) {
        return facts.gdb_num == gdb_num && facts.idle;
    });
}

std::vector<IcvFacts> OmpdReader::icvs(std::span<const int> gdb_nums,
                                       std::span<const int> regions) {
    const Process &process = this->process();
    std::vector<IcvFacts> found;
    const auto add = [&](const IcvName &icv) -> IcvFacts & {
        found.emplace_back();
        found.back().icv = &icv;
        return found.back();
    };
    for (const IcvName &icv : icvs_.all()) {
        if (icv.scope == ompd_scope_global || icv.scope == ompd_scope_address_space) {
            read_icv(process, add(icv));
        } else if (is_regions(icv.scope)) {
            for (const int number : regions) {
                if (const Region *region = regions_ ? regions_->numbered(number) : nullptr) {
                    IcvFacts &facts = add(icv);
                    facts.region = number;
                    read_icv(*region->handle, facts);
                }
            }
            for (const int gdb_num : gdb_nums) {
                const auto thread =
                    std::ranges::find(facts_.threads, gdb_num, &ThreadFacts::gdb_num);
                const auto outside = icv_outside(icv, {});
                if (thread != facts_.threads.end() && thread->level.value == 0 && outside.known()) {
                    IcvFacts &facts = add(icv);
                    facts.gdb_num = gdb_num;
                    facts.number = outside;
                }
            }
        } else {
            for (const int gdb_num : gdb_nums) {
                if (const ThreadHandle *thread = handle_of(gdb_num)) {
                    IcvFacts &facts = add(icv);
                    facts.gdb_num = gdb_num;
                    read_icv_of(*thread, facts);
                }
            }
        }
    }
    return found;
}

// An ICV of a thread, or of the task that it executes: a task of the scope's kind.
void OmpdReader::read_icv_of(const ThreadHandle &thread, IcvFacts &facts) const {
    if (facts.icv->scope == ompd_scope_thread) {
        read_icv(thread, facts);
        return;
    }
    const auto task = owner_in(facts.icv->scope, curr_task(thread));
    if (task.handle == nullptr) {
        facts.number = task.unknown<ompd_word_t>();
    } else {
        read_icv(*task.handle, facts);
    }
}

Asked<TaskHandle> OmpdReader::owner_in(ompd_scope_t scope, Asked<TaskHandle> task) const {
    for (int i = 0; i < max_chain && scope == ompd_scope_implicit_task && task.handle != nullptr &&
                    icvs_.is_explicit(*task.handle).value == true;
         ++i) {
        task = generating_task(*task.handle);
    }
    return task;
}

SizeIcvs OmpdReader::size_icvs(int region) {
    const Region *const found = regions_ == nullptr ? nullptr : regions_->numbered(region);
    const auto inside =
        found == nullptr ? Asked<TaskHandle>() : task_in_parallel(*found->handle, 0);
    if (inside.handle == nullptr) {
        return {};
    }
    const auto value = [&](std::string_view name) -> std::optional<std::int64_t> {
        const auto icv = std::ranges::find(icvs_.all(), name, &IcvName::specified);
        if (icv == icvs_.all().end()) {
            return std::nullopt;
        }
        const auto owner = owner_in(icv->scope, generating_task(*inside.handle));
        return icvs_
            .number(name, {nullptr, nullptr, owner.handle.get()}, 0,
                    std::numeric_limits<int>::max())
            .value;
    };
    return {value("nthreads-var"), value("dyn-var"), value("max-active-levels-var"),
            value("thread-limit-var")};
}

std::vector<ControlVariable> OmpdReader::control_variables() {
    std::vector<ControlVariable> found;
    for (const std::string &line : process().display_control_vars()) {
        const std::size_t equals = line.find('=');
        if (equals != std::string::npos) {
            found.push_back({line.substr(0, equals), line.substr(equals + 1)});
        }
    }
    return found;
}

Versions OmpdReader::versions() {
    Versions found;
    found.api = library_->api_version();
    found.library = library_->version_string();
    const Process &process = this->process();
    found.omp = ask_fact<ompd_word_t>(function_names.get_omp_version.name,
                                      [&] { return process.omp_version(); });
    found.omp_text = ask_fact<std::string>(function_names.get_omp_version_string.name,
                                           [&] { return process.omp_version_string(); });
    return found;
}

}  // namespace gdb_ompd
