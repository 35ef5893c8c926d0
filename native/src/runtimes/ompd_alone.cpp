// SPDX-License-Identifier: Apache-2.0
// A thread by itself, of a program that may have run since the last question: what a condition
// asks of one thread each time that it comes by.
#include "runtimes/ompd_asking.hpp"
#include "runtimes/ompd_reader.hpp"

#include <climits>

namespace gdb_ompd {

namespace {

using Region = ParallelRegions::Region;

// Throw what FAILURE is, unless it is EXPECTED or none.
void require(const Failure &failure, bool expected) {
    if (failure.function != nullptr && !expected) {
        throw OmpdError(failure.function, failure.code);
    }
}

int must(const Fact<int> &fact) {
    require({fact.failed, fact.code}, false);
    return *fact.value;
}

}  // namespace

// Members are destroyed last first: handles before the process that they are of.
struct OmpdReader::Alone {
    std::unique_ptr<Process> process;
    std::unique_ptr<ThreadHandle> thread;
};

std::optional<OmpdReader::Alone> OmpdReader::alone(const NativeThread &thread) {
    space_->cache().clear();  // nobody tells that the program has run since
    Alone found;
    found.process = Process::initialize(library_, space_);
    enumerate(*found.process);
    found.thread = find(*found.process, thread);
    return found.thread == nullptr ? std::nullopt : std::optional(std::move(found));
}

bool OmpdReader::knows(const NativeThread &thread) { return alone(thread).has_value(); }

std::optional<Place> OmpdReader::place(const NativeThread &thread) {
    const auto found = alone(thread);
    if (!found) {
        return std::nullopt;
    }
    const auto region = curr_parallel(*found->thread);
    const auto task = curr_task(*found->thread);
    if (region.handle == nullptr) {
        require(region.none() ? task.failure : region.failure, region.none() && task.none());
        return task.handle == nullptr ? std::nullopt : std::optional(Place{0, 1, 0, 0});
    }
    const IcvTable::Owners owners{found->thread.get(), region.handle.get(), task.handle.get()};
    return Place{must(icvs_.number(icv_names::thread_num, owners, 0, max_team_size)),
                 must(icvs_.number(icv_names::team_size, owners, 1, max_team_size)),
                 must(icvs_.number(icv_names::levels, owners, 0, INT_MAX)),
                 must(icvs_.number(icv_names::active_levels, owners, 0, INT_MAX)),
                 icvs_.number(icv_names::team_num, owners, 0, INT_MAX).value,
                 icvs_.number(icv_names::league_size, owners, 1, INT_MAX).value};
}

std::vector<Membership> OmpdReader::memberships(const NativeThread &thread) {
    const auto found = alone(thread);
    if (!found) {
        return {};
    }
    auto current = curr_parallel(*found->thread);
    const auto task = curr_task(*found->thread);
    if (current.handle == nullptr) {
        return task.handle == nullptr ? std::vector<Membership>() : std::vector<Membership>{{0, 1}};
    }
    // Threads need no numbers of the debugger's to be told apart.
    std::unordered_map<std::uint64_t, int> numbers;
    ParallelRegions regions(icvs_, [&](const ThreadHandle &member) {
        const int next = static_cast<int>(numbers.size());
        return numbers.emplace(member.thread_id(id_kind_, id_size_), next).first->second;
    });
    const Region &region = *regions.note(std::move(current.handle));
    const IcvTable::Owners owners{found->thread.get(), region.handle.get(), task.handle.get()};
    ThreadFacts facts;
    facts.thread_num = icvs_.number(icv_names::thread_num, owners, 0, max_team_size);
    set_memberships(facts, region);
    return facts.memberships;
}

Fact<TaskKind> OmpdReader::task_kind(const NativeThread &thread) {
    const auto found = alone(thread);
    if (!found) {
        return {};
    }
    const auto task = curr_task(*found->thread);
    if (task.handle == nullptr) {
        return task.unknown<TaskKind>();
    }
    const auto region = curr_parallel(*found->thread);
    const IcvTable::Owners owners{nullptr, region.handle.get(), nullptr};
    const auto level = region.none() ? Fact<int>{0}
                       : region.handle == nullptr
                           ? region.unknown<int>()
                           : icvs_.number(icv_names::levels, owners, 0, INT_MAX);
    return kind_of_task(icvs_, *task.handle, level);
}

Fact<std::string> OmpdReader::state(const NativeThread &thread) {
    const auto found = alone(thread);
    ThreadFacts facts;
    if (found) {
        read_state(facts, *found->thread);
    }
    return facts.state;
}

std::optional<IcvFacts> OmpdReader::icv(const NativeThread &thread, std::string_view name) {
    const auto found = alone(thread);
    const IcvName *const named = found ? icvs_.find(name) : nullptr;
    if (named == nullptr) {
        return std::nullopt;
    }
    IcvFacts facts;
    facts.icv = named;
    if (is_regions(named->scope)) {
        const auto region = curr_parallel(*found->thread);
        if (region.handle != nullptr) {
            read_icv(*region.handle, facts);
        } else {
            facts.number = region.none() && curr_task(*found->thread).handle != nullptr
                               ? icv_outside(*named, region.failure)
                               : region.unknown<ompd_word_t>();
        }
    } else if (named->scope == ompd_scope_global || named->scope == ompd_scope_address_space) {
        read_icv(*found->process, facts);
    } else {
        read_icv_of(*found->thread, facts);
    }
    return facts;
}

}  // namespace gdb_ompd
