// SPDX-License-Identifier: Apache-2.0
// The stacks of one stop's threads with what the debugger calls it: where in the user's code they
// are, what they wait for, and which regions they have begun.
#pragma once

#include "stop/region_calls.hpp"
#include "stop/targets.hpp"
#include "stop/wait_names.hpp"

#include <vector>

namespace gdb_ompd {

// All that the debugger names.
class StopNames : public PlaceNames, public WaitNames, public RegionNames {
public:
    // Whether the debugger cannot tell a thread's frames.
    [[nodiscard]] virtual bool is_unreadable(int gdb_num) const = 0;
};

class Stacks {
public:
    // Both outlive it.
    Stacks(WholeStacks &whole, StopNames &names);
    Stacks(const Stacks &) = delete;  // its places lead back to it
    Stacks &operator=(const Stacks &) = delete;
    ~Stacks() = default;

    [[nodiscard]] WholeStacks &whole() { return whole_; }
    [[nodiscard]] WaitReader &reader() { return whole_.reader(); }
    [[nodiscard]] StopNames &names() { return names_; }
    [[nodiscard]] RegionCalls &calls() { return calls_; }
    // The target constructs that a thread is in.
    [[nodiscard]] ThreadTargets targets(int gdb_num) { return targets_.of(whole_.of(gdb_num)); }
    // See FallbackFrames.
    [[nodiscard]] std::vector<code::Frame> fallbacks(int gdb_num);
    [[nodiscard]] ThreadPlaces places(const std::vector<int> &gdb_nums);

private:
    [[nodiscard]] ThreadPlaceRef without_stack(int gdb_num) const;

    WholeStacks &whole_;
    StopNames &names_;
    RegionCalls calls_;
    TargetReader targets_;
    StackPlaces places_;
    std::vector<ThreadPlaceRef> known_;  // by the places' numbers
};

}  // namespace gdb_ompd
