// SPDX-License-Identifier: Apache-2.0
// The ICVs of an OMPD library, by name.
#pragma once

#include "model/facts.hpp"
#include "runtimes/ompd_asking.hpp"

#include <array>
#include <optional>
#include <string_view>
#include <vector>

namespace gdb_ompd {

// The ICVs that tell where a thread and what a task is. Each has the name that OpenMP requires of
// every library and the one without the prefix.
using IcvAliases = std::array<std::string_view, 3>;
namespace icv_names {
constexpr IcvAliases thread_num{"thread-num-var", "ompd-thread-num-var", ""};
constexpr IcvAliases team_size{"team-size-var", "ompd-team-size-var", ""};
constexpr IcvAliases levels{"levels-var", "ompd-levels-var", ""};
constexpr IcvAliases active_levels{"active-levels-var", "ompd-active-levels-var", ""};
constexpr IcvAliases final_task{"final-task-var", "ompd-final-task-var", "ompd-final-var"};
constexpr IcvAliases implicit_task{"implicit-task-var", "ompd-implicit-task-var",
                                   "ompd-implicit-var"};
}  // namespace icv_names

class IcvTable {
public:
    // Ask the library for its ICVs, unless it has told them. What keeps it from telling
    // makes each of them unknown until it is asked again.
    void enumerate(const Process &process);
    [[nodiscard]] bool enumerated() const noexcept { return code_ == ompd_rc_ok; }
    // Throws OmpdError where they could not be enumerated.
    [[nodiscard]] const std::vector<IcvName> &all() const;
    [[nodiscard]] const IcvName *find(std::string_view name) const;

    // The first of ALIASES that the library has, asked of whichever of the three handles
    // its scope is of. A number outside of LOWEST to HIGHEST is an error.
    struct Owners {
        const ThreadHandle *thread = nullptr;
        const ParallelHandle *region = nullptr;
        const TaskHandle *task = nullptr;
    };
    [[nodiscard]] Fact<int> number(const IcvAliases &aliases, const Owners &owners, int lowest,
                                   int highest) const;

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
