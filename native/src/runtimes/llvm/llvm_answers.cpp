// SPDX-License-Identifier: Apache-2.0
// What LlvmReader answers of ICVs and settings, and of one thread by itself.
#include "runtimes/llvm/alone.hpp"
#include "runtimes/llvm/environment.hpp"
#include "runtimes/llvm/llvm_reader.hpp"
#include "runtimes/llvm/start.hpp"

#include "elf/address_space.hpp"

#include <algorithm>
#include <array>

namespace gdb_ompd::llvm {

namespace {

// The size of threads' stacks, as the runtime writes it: its default is by the process's limits.
std::optional<std::string> stack_size(AddressSpace &space) {
    constexpr auto units = std::to_array<std::string_view>({"", "k", "M", "G"});
    const auto address = space.symbol_address("__kmp_stksize", std::nullopt, std::nullopt);
    if (!address) {
        return std::nullopt;
    }
    std::uint64_t size = space.read_uint(*address, 8);
    std::size_t unit = 0;
    while (unit + 1 < units.size() && size != 0 && size % 1024 == 0) {
        size /= 1024;
        ++unit;
    }
    return std::to_string(size).append(units.at(unit));
}

}  // namespace

// ICVs and settings

std::vector<IcvFacts> LlvmReader::icvs(std::span<const int> gdb_nums,
                                       std::span<const int> regions) {
    const KernelReads reads(space().cache(), kernels_process());
    check_settings(space(), layout_);
    if (!is_on_ || stop_ == nullptr) {
        return OmpdReader::icvs(gdb_nums, regions);
    }
    stop_->teams.begin_walk();
    std::vector<int> said_of;
    for (const int region : regions) {
        const int number = stop_->said.at(stop_->keys.at(static_cast<std::size_t>(region) - 1));
        if (number > 0) {
            said_of.push_back(number);
        }
    }
    const std::vector<IcvFacts> said = OmpdReader::icvs(gdb_nums, said_of);
    std::vector<IcvFacts> found;
    for (const IcvName &icv : icv_table().all()) {
        if (icv.scope == ompd_scope_parallel) {
            for (const int region : regions) {
                found.push_back(region_icv(icv, region, said));
            }
        }
        for (const IcvFacts &facts : said) {
            if (facts.icv == &icv && !facts.region) {
                found.push_back(facts);
                correct_icv(found.back());
            }
        }
    }
    return found;
}

IcvFacts LlvmReader::region_icv(const IcvName &icv, int region,
                                const std::vector<IcvFacts> &said) const {
    const auto position = static_cast<std::size_t>(region) - 1;
    const RegionFacts &known = facts_.regions.at(position);
    const int number = stop_->said.at(stop_->keys.at(position));
    const auto found = std::ranges::find_if(said, [&](const IcvFacts &facts) {
        return facts.icv == &icv && number > 0 && facts.region == number;
    });
    IcvFacts facts = found == said.end() ? IcvFacts{} : *found;
    facts.icv = &icv;
    facts.region = region;
    for (const auto &[name, fact] : {std::pair("levels-var", &known.level),
                                     std::pair("active-levels-var", &known.active_level),
                                     std::pair("team-size-var", &known.team_size)}) {
        if (icv.name == name && fact->known()) {
            correct(facts.number, static_cast<ompd_word_t>(*fact->value),
                    corrections::nested_serialized_regions);
        }
    }
    return facts;
}

void LlvmReader::correct_icv(IcvFacts &facts) const {
    const auto thread = facts.gdb_num ? stop_->threads.find(*facts.gdb_num) : stop_->threads.end();
    correct_icv(facts, thread == stop_->threads.end() ? nullptr : &thread->second, stop_->chains);
}

void LlvmReader::correct_icv(IcvFacts &facts, const OmpThread *thread, const TaskChains &chains) {
    const std::string &name = facts.icv->name;
    if (thread != nullptr && thread->team == nullptr) {
        // An idle worker's record still holds what its last task left there.
        facts.why_none = "the thread is in no team";
        withdraw(facts.number, corrections::idle_workers);
        withdraw(facts.text, corrections::idle_workers);
    } else if (thread != nullptr && name == "thread-num-var") {
        correct(facts.number, static_cast<ompd_word_t>(thread->thread_num),
                corrections::regions_at_events);
    } else if (thread != nullptr && name == "implicit-task-var") {
        if (const auto kind = chains.current_kind(*thread)) {
            correct(facts.number, static_cast<ompd_word_t>(*kind != TaskKind::explicit_),
                    corrections::shared_tasks);
        } else {
            withdraw(facts.number, corrections::shared_tasks);
        }
    } else if ((name == "num-procs-var" || name == "nthreads-var") && facts.number.value == 0) {
        facts.why_none = "not known before the first parallel region";
        withdraw(facts.number, corrections::number_of_processors);
        withdraw(facts.text, corrections::number_of_processors);
    }
}

// The library has nthreads-var and dyn-var of a thread's current task alone.
SizeIcvs LlvmReader::size_icvs(int region) {
    SizeIcvs found = read_size_icvs(region);
    found.limits_league = "KMP_TEAMS_THREAD_LIMIT";
    return found;
}

SizeIcvs LlvmReader::read_size_icvs(int region) {
    const KernelReads reads(space().cache(), kernels_process());
    const auto position = static_cast<std::size_t>(region) - 1;
    if (!is_on_ || stop_ == nullptr || position >= stop_->keys.size()) {
        return {};
    }
    const auto &members = facts_.regions.at(position).threads;
    const auto thread =
        members.empty() ? stop_->threads.end() : stop_->threads.find(members.front().value_or(0));
    if (thread == stop_->threads.end()) {
        return {};
    }
    stop_->teams.begin_walk();
    const auto chain = stop_->chains.chain(thread->second);
    const auto inside = std::ranges::find_if(chain, [&](const ChainedTask &task) {
        return task.kind == TaskKind::implicit && task.region == stop_->keys[position];
    });
    if (inside == chain.end() || inside + 1 == chain.end() || !(inside + 1)->is_placed) {
        return {};
    }
    // Nested serialized regions have one record, also with a league of one team around them: what
    // the innermost task has set is there. What is as outside of them all was set by none.
    const auto outside =
        std::ranges::find_if(inside + 1, chain.end(), [&](const ChainedTask &task) {
            return task.address != inside->address;
        });
    const Team &team = *stop_->teams_of.at(stop_->keys[position]);
    const bool is_shared =
        outside != inside + 1 || std::ssize(stop_->teams.serialized_frames(team)) >= team.levels();
    const auto of = [&](const ChainedTask &task, const char *name) -> std::int64_t {
        const auto own = task.address + layout_.access("kmp_taskdata_t", "td_icvs");
        const auto field = layout_.field("kmp_internal_control_t", name);
        return static_cast<std::int64_t>(stop_->teams.memory().field(own, field));
    };
    const auto value = [&](const char *name) -> std::optional<std::int64_t> {
        const std::int64_t found = of(*(inside + 1), name);
        const bool is_its = !is_shared || (outside != chain.end() && of(*outside, name) == found);
        return is_its ? std::optional(found) : std::nullopt;
    };
    return {value("nproc"), value("dynamic"), value("max_active_levels"), value("thread_limit"),
            is_shared};
}

std::vector<ControlVariable> LlvmReader::control_variables() {
    const KernelReads reads(space().cache(), kernels_process());
    check_settings(space(), layout_);
    std::vector<ControlVariable> found = OmpdReader::control_variables();
    if (is_on_) {
        correct_variables(found);
    }
    for (ControlVariable &variable : found) {
        if (variable.source == nullptr) {
            variable.source = variable.value ? "runtime default" : "runtime's start";
        }
    }
    return found;
}

void LlvmReader::correct_variables(std::vector<ControlVariable> &found) {
    auto own = environment_of(Memory(space()).for_walk(Budget()));
    const auto stacks = stack_size(space());
    // "OMP_NESTED: deprecated; max-active-levels-var=1" tells nothing of that variable.
    std::erase_if(found, [&](const ControlVariable &variable) {
        return variable.name.find("OMP_NESTED:") != std::string::npos &&
               !own.contains("OMP_NESTED");
    });
    for (ControlVariable &variable : found) {
        // "OMP_NESTED: deprecated; max-active-levels-var=1", " OMP_TOOL='enabled'"
        variable.name.erase(0, variable.name.find_first_not_of(" \t\n"));
        variable.name = variable.name.substr(0, variable.name.find(':'));
        if (const auto set = own.extract(variable.name)) {
            variable.value = set.mapped();
            variable.source = corrections::environment.name;
        } else if (variable.name.ends_with("MP_STACKSIZE") && stacks) {
            variable.value = *stacks;
        } else if (is_decided_at_start(variable.name)) {
            variable.value.reset();
        } else if (variable.value && variable.value->size() >= 2 &&
                   variable.value->front() == '\'') {
            variable.value = variable.value->substr(1, variable.value->find_last_of('\'') - 1);
        }
    }
    for (auto &[name, value] : own) {
        found.push_back({name, std::move(value), corrections::environment.name});
    }
}

// One thread by itself

bool LlvmReader::knows(const NativeThread &thread) {
    const KernelReads reads(space().cache(), kernels_process());
    return is_on_ ? thread_alone(space(), places_, thread, boundary_).has_value()
                  : OmpdReader::knows(thread);
}

std::optional<Place> LlvmReader::place(const NativeThread &thread) {
    const KernelReads reads(space().cache(), kernels_process());
    if (!is_on_) {
        return OmpdReader::place(thread);
    }
    return place_of(thread_alone(space(), places_, thread, boundary_));
}

std::vector<Membership> LlvmReader::memberships(const NativeThread &thread) {
    const KernelReads reads(space().cache(), kernels_process());
    if (!is_on_) {
        return OmpdReader::memberships(thread);
    }
    const auto found = thread_alone(space(), places_, thread, boundary_);
    return found && found->thread.team != nullptr
               ? llvm::memberships(*found->thread.team, found->thread.thread_num)
               : std::vector<Membership>();
}

Fact<TaskKind> LlvmReader::task_kind(const NativeThread &thread) {
    const KernelReads reads(space().cache(), kernels_process());
    if (!is_on_) {
        return OmpdReader::task_kind(thread);
    }
    const auto found = thread_alone(space(), places_, thread, boundary_);
    const auto kind = found ? TaskChains(*found->teams).current_kind(found->thread) : std::nullopt;
    return kind ? Fact<TaskKind>::from(corrections::shared_tasks.name, *kind) : Fact<TaskKind>{};
}

Fact<std::string> LlvmReader::state(const NativeThread &thread) {
    const KernelReads reads(space().cache(), kernels_process());
    ThreadFacts facts;
    facts.state = OmpdReader::state(thread);
    if (const auto found =
            is_on_ ? thread_alone(space(), places_, thread, boundary_) : std::nullopt) {
        if (found->thread.team != nullptr) {
            correct_state(facts, found->thread.team->level);
        } else {
            facts.state = {};
        }
    }
    return facts.state;
}

std::optional<IcvFacts> LlvmReader::icv(const NativeThread &thread, std::string_view name) {
    const KernelReads reads(space().cache(), kernels_process());
    check_settings(space(), layout_);
    std::optional<IcvFacts> facts = OmpdReader::icv(thread, name);
    const auto found =
        is_on_ && facts ? thread_alone(space(), places_, thread, boundary_) : std::nullopt;
    if (!found) {
        return facts;
    }
    if (facts->icv->scope == ompd_scope_parallel && found->thread.team != nullptr) {
        const Team &team = *found->thread.team;
        for (const auto &[own, value] : {std::pair("levels-var", team.level),
                                         std::pair("active-levels-var", team.active_level),
                                         std::pair("team-size-var", team.size)}) {
            if (name == own) {
                correct(facts->number, static_cast<ompd_word_t>(value),
                        corrections::nested_serialized_regions);
            }
        }
    } else if (facts->icv->scope != ompd_scope_address_space) {
        correct_icv(*facts, &found->thread, TaskChains(*found->teams));
    }
    return facts;
}

}  // namespace gdb_ompd::llvm
