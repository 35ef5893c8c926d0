// SPDX-License-Identifier: Apache-2.0
// The ICVs of an OMPD library, by name.
#pragma once

#include "model/facts.hpp"
#include "runtimes/ompd_asking.hpp"

#include <optional>
#include <string_view>
#include <vector>

namespace gdb_ompd {

// The ICVs that tell where a thread and what a task is, by the specification's names.
namespace icv_names {
constexpr std::string_view thread_num = "thread-num-var";
constexpr std::string_view team_size = "team-size-var";
constexpr std::string_view levels = "levels-var";
constexpr std::string_view active_levels = "active-levels-var";
constexpr std::string_view final_task = "final-task-var";
constexpr std::string_view implicit_task = "implicit-task-var";
constexpr std::string_view explicit_task = "explicit-task-var";
constexpr std::string_view team_num = "team-num-var";
constexpr std::string_view league_size = "league-size-var";
}  // namespace icv_names

// Whether an ICV of this scope is asked of a region's handle. A league and a target region are
// regions that have a generator of their own: as we read 6.0, untried on a real library.
constexpr bool is_regions(ompd_scope_t scope) {
    return scope == ompd_scope_parallel || scope == ompd_scope_teams || scope == ompd_scope_target;
}

class IcvTable {
public:
    // Ask the library for its ICVs, unless it has told them. What keeps it from telling
    // makes each of them unknown until it is asked again.
    void enumerate(const Process &process);
    [[nodiscard]] bool enumerated() const noexcept { return code_ == ompd_rc_ok; }
    // Throws OmpdError where they could not be enumerated.
    [[nodiscard]] const std::vector<IcvName> &all() const;
    [[nodiscard]] const IcvName *find(std::string_view name) const;
    // Whether the library has the ICV with the specification's NAME.
    [[nodiscard]] bool has(std::string_view name) const;

    // The ICV with the specification's NAME, under whichever name the library has it, asked of
    // whichever of the three handles its scope is of. A number outside of LOWEST to HIGHEST is an
    // error.
    struct Owners {
        const ThreadHandle *thread = nullptr;
        const ParallelHandle *region = nullptr;
        const TaskHandle *task = nullptr;
    };
    [[nodiscard]] Fact<int> number(std::string_view name, const Owners &owners, int lowest,
                                   int highest) const;
    // Whether TASK is an explicit one: 5.2 has explicit-task-var in place of implicit-task-var.
    [[nodiscard]] Fact<bool> is_explicit(const TaskHandle &task) const;

private:
    std::vector<IcvName> icvs_;
    ompd_rc_t code_ = ompd_rc_unavailable;
};

// Ask for an ICV: as a number, and as text where the library has no number or a list.
void read_icv(const Handle &handle, IcvFacts &facts);

// An ICV of the region that a thread outside of regions is in: the one around the program,
// of which a library need not know.
Fact<ompd_word_t> icv_outside(const IcvName &icv, const Failure &failure);

}  // namespace gdb_ompd
