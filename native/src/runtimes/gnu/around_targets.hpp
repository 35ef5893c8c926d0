// SPDX-License-Identifier: Apache-2.0
// The regions that threads are in outside of target regions which the host executes: the runtime
// makes a thread's record blank meanwhile, and keeps what it was in the frame that called it.
#pragma once

#include "model/facts.hpp"
#include "runtimes/gnu/records.hpp"
#include "runtimes/reader.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <unordered_map>

namespace gdb_ompd::gnu {

class AroundTargets {
public:
    using Pointers = std::unordered_map<int, std::uint64_t>;  // to threads' own, by GDB number

    // All outlive it. FACTS are of a stop with these PTHREADS.
    AroundTargets(AddressSpace &space, const Records &records, StopFacts &facts,
                  const Pointers &pointers);

    // Adds what the FRAMES of a thread tell to the facts. Throws Inconsistent.
    void add(ThreadFacts &thread, const std::vector<code::Frame> &frames);

private:
    void note_known(const ThreadFacts &thread);
    [[nodiscard]] OuterPlace kept_in(const code::Frame &frame, std::uint64_t pthread) const;
    [[nodiscard]] int region_of(TargetAddr team);

    AddressSpace &space_;
    const Records &records_;
    StopFacts &facts_;
    const Pointers &pointers_;
    std::map<TargetAddr, int> teams_;  // the regions' numbers
};

}  // namespace gdb_ompd::gnu
