// SPDX-License-Identifier: Apache-2.0
#include "runtimes/gnu/gnu_reader.hpp"

#include "base/errors.hpp"
#include "runtimes/gnu/around_targets.hpp"
#include "runtimes/gnu/capabilities.hpp"
#include "runtimes/gnu/waiting_tasks.hpp"
#include "runtimes/thread_pointer.hpp"

#include <algorithm>
#include <array>

namespace gdb_ompd::gnu {

namespace {

// Of a thread whose record is blank.
const Fact<ThreadKind> unknown_kind =
    Fact<ThreadKind>::unknown("ompd_get_thread_handle", ompd_rc_unavailable);

}  // namespace

const StopFacts &GnuReader::read(std::span<const NativeThread> natives) {
    OmpdReader::read(natives);
    pointers_.clear();
    for (const NativeThread &native : natives) {
        if (const auto pointer = thread_pointer(space(), native)) {
            pointers_.emplace(native.gdb_num, pointer->value);
        }
    }
    forget_strangers();
    read_leagues();
    return facts_;
}

void GnuReader::add_around_targets(const FallbackFrames &frames) {
    try {
        const Layout *const layout = this->layout();
        std::optional<Records> records;
        std::optional<AroundTargets> around;
        for (ThreadFacts &thread : facts_.threads) {
            const bool may_execute = layout != nullptr && thread.error.empty() && !thread.idle;
            const auto own = may_execute ? frames(thread.gdb_num) : std::vector<code::Frame>();
            if (own.empty()) {
                continue;
            }
            if (!around) {
                records.emplace(space(), *layout, places());
                around.emplace(space(), *records, facts_, pointers_);
            }
            if (thread.kind.value == ThreadKind::native) {
                thread.kind = unknown_kind;
            }
            around->add(thread, own);
        }
        if (around) {
            read_leagues();
        }
    } catch (const Inconsistent &) {
        return;  // what is damaged is not told
    }
}

// One thread executes the teams of a league one after another. A league of one team is told from
// none by nothing in its records. Those of a thread that may execute a target region inside of a
// parallel one, or be a stranger, say what the runtime's functions do in either case.
void GnuReader::read_leagues() {
    constexpr const char *source = "gomp_thread";
    const auto records = records_of_leagues();
    if (records == nullptr) {
        return;
    }
    try {
        for (ThreadFacts &thread : facts_.threads) {
            const auto pthread = pointers_.find(thread.gdb_num);
            const bool is_told = thread.level.known() || thread.kind.failed != nullptr;
            const auto league =
                is_told && !thread.idle && thread.error.empty() && pthread != pointers_.end()
                    ? records->league(pthread->second)
                    : std::nullopt;
            if (league && league->second == 1) {
                thread.team_num = {0};
                thread.num_teams = {1};
            } else if (league) {
                thread.team_num = Fact<int>::from(source, league->first);
                thread.num_teams = Fact<int>::from(source, league->second);
                thread.league = {static_cast<std::uint64_t>(root_of(thread))};
            }
        }
    } catch (const Inconsistent &) {
        return;  // what is damaged is not told
    }
}

std::unique_ptr<Records> GnuReader::records_of_leagues() {
    try {
        const Layout *const layout = places().num_teams ? this->layout() : nullptr;
        return layout == nullptr ? nullptr : std::make_unique<Records>(space(), *layout, places());
    } catch (const Inconsistent &) {
        return nullptr;  // the runtime's code is not as known
    }
}

std::optional<Place> GnuReader::place(const NativeThread &thread) {
    auto found = OmpdReader::place(thread);
    const auto pointer = found ? thread_pointer(space(), thread) : std::nullopt;
    const auto records = pointer ? records_of_leagues() : nullptr;
    if (records == nullptr) {
        return found;
    }
    try {
        if (const auto league = records->league(pointer->value)) {
            found->team_num = league->first;
            found->num_teams = league->second;
        }
    } catch (const Inconsistent &) {
        return found;
    }
    return found;
}

// The GDB number of the thread that has begun the outermost region around THREAD.
int GnuReader::root_of(const ThreadFacts &thread) const {
    int root = thread.gdb_num;
    for (int region = thread.region.value.value_or(0); region > 0;) {
        const RegionFacts &facts = facts_.regions.at(static_cast<std::size_t>(region) - 1);
        root = facts.primary.value_or(root);
        region = facts.parent.value.value_or(0);
    }
    return root;
}

// A thread's record is in its thread-local storage: not far before its thread pointer, unless the
// program has much of that.
void GnuReader::read_ahead(std::span<const NativeThread> natives) {
    constexpr std::uint64_t near = 512;
    std::vector<TargetAddr> pointers;
    for (const NativeThread &native : natives) {
        const auto own = native.pthread_id && !native.running
                             ? space().pthread_pointer(*native.pthread_id)
                             : std::nullopt;
        if (own) {
            pointers.push_back(*own);
            pointers.push_back(TargetAddr{own->value - near});
        }
    }
    const KernelReads reads(space().cache(), kernels_process());
    space().cache().read_ahead(pointers);
}

// A thread that executes a target region on the host has a record as if it had nothing to do with
// the runtime. Who is not OpenMP's is not known while a team lacks a thread.
void GnuReader::forget_strangers() {
    const auto lacks = [](const RegionFacts &region) {
        return std::ranges::any_of(region.threads, [](const auto &thread) { return !thread; });
    };
    if (std::ranges::none_of(facts_.regions, lacks)) {
        return;
    }
    for (ThreadFacts &thread : facts_.threads) {
        if (thread.kind.known() && *thread.kind.value == ThreadKind::native) {
            thread.kind = unknown_kind;
        }
    }
}

void GnuReader::end_stop() noexcept {
    pointers_.clear();
    capabilities_.reset();
    OmpdReader::end_stop();
}

// The thread's current task, what generated that, and so on, as far as that is known.
std::vector<std::uint64_t> GnuReader::chain(int gdb_num) {
    std::vector<std::uint64_t> found;
    std::vector<TaskFacts> tasks;
    try {
        tasks = this->tasks(std::array{gdb_num});
    } catch (const OmpdError &) {
        return found;
    }
    for (int depth = tasks.empty() ? -1 : 0; depth >= 0;) {
        const TaskFacts &task = tasks.at(static_cast<std::size_t>(depth));
        found.push_back(task.identity);
        depth = found.size() <= tasks.size() ? task.generating.value.value_or(-1) : -1;
    }
    return found;
}

// None for one that is unverified.
const Layout *GnuReader::layout() {
    const auto releases = versions().omp_text.value;
    return releases ? layout_of(*releases) : nullptr;
}

const RecordPlaces &GnuReader::places() {
    if (!places_) {
        places_ = RecordPlaces::in_code(space());
    }
    return *places_;
}

const BarrierPlace &GnuReader::barriers() {
    if (!barriers_) {
        barriers_.emplace(space(), Records::team_of_thread, places().record);
    }
    return *barriers_;
}

// The library has them from the program's environment.
std::vector<ControlVariable> GnuReader::control_variables() {
    auto found = OmpdReader::control_variables();
    for (ControlVariable &variable : found) {
        variable.source = "environment";
    }
    return found;
}

std::shared_ptr<gdb_ompd::Capabilities> GnuReader::capabilities() {
    if (capabilities_ == nullptr) {
        capabilities_ = make_capabilities();
    }
    return capabilities_;
}

std::shared_ptr<gdb_ompd::Capabilities> GnuReader::make_capabilities() {
    const Layout *const layout = this->layout();
    if (layout == nullptr) {
        return nullptr;
    }
    Capabilities::Pointers own;
    for (const ThreadFacts &thread : facts_.threads) {
        const auto pthread = pointers_.find(thread.gdb_num);
        // Of a worker that was forked off without its team the kind is not known.
        const bool is_own = thread.kind.known() ? *thread.kind.value != ThreadKind::native
                                                : thread.thread_num.known();
        if (is_own && pthread != pointers_.end()) {
            own.insert(*pthread);
        }
    }
    try {
        return std::make_shared<Capabilities>(shared_space(), Records(space(), *layout, places()),
                                              barriers(), std::move(own));
    } catch (const Inconsistent &) {
        return nullptr;
    }
}

std::optional<WaitingTasks> GnuReader::waiting_tasks() {
    const KernelReads reads(space().cache(), kernels_process());
    const Layout *const layout = this->layout();
    if (layout == nullptr) {
        return std::nullopt;
    }
    std::vector<BusyThread> busy;
    for (const ThreadFacts &thread : facts_.threads) {
        const auto pthread = pointers_.find(thread.gdb_num);
        const bool is_busy = thread.region.known() && thread.thread_num.known() && !thread.idle;
        if (!is_busy || pthread == pointers_.end()) {
            continue;
        }
        busy.push_back({pthread->second, *thread.region.value,
                        static_cast<std::uint32_t>(*thread.thread_num.value),
                        chain(thread.gdb_num)});
    }
    try {
        return TaskSearch(Records(space(), *layout, places()), facts_.regions).run(busy);
    } catch (const Inconsistent &) {
        return std::nullopt;
    }
}

}  // namespace gdb_ompd::gnu
