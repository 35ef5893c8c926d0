// SPDX-License-Identifier: Apache-2.0
// Which construct a call of the runtime's is of, where the function that is called serves several:
// by what the code around it calls.
#pragma once

#include "code/call_arguments.hpp"

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

namespace gdb_ompd {

// A call whose construct the source line decides. STARTS are the earlier calls in the
// function that the construct would have made, if they are on the same line.
struct CallPlace {
    std::uint64_t address = 0;
    std::uint64_t function = 0;  // where the function around it starts
    std::vector<std::uint64_t> starts;

    bool operator==(const CallPlace &) const = default;
};

class CallPlaces {
public:
    // Both outlive it.
    CallPlaces(code::UserCalls &calls, code::CallArguments &arguments)
        : calls_(calls), arguments_(arguments) {}

    // Where the entry point may have been called.
    [[nodiscard]] std::vector<CallPlace> of(const code::Called &called, const code::Frame *user);
    // Whether a loop was begun before all these places.
    [[nodiscard]] bool follow_loop(const code::Called &called, const code::Frame *user);
    // Whether they are what comes before a task that is executed at once.
    [[nodiscard]] bool are_undeferred(const code::Called &called, const code::Frame *user);
    // What memory said is read again at the next stop.
    void end_stop() {
        known_.clear();
        after_loops_.clear();
    }

private:
    [[nodiscard]] const CallPlace &place_of(const code::Site &site, const code::EntryPoint &entry);

    code::UserCalls &calls_;
    code::CallArguments &arguments_;
    std::map<std::pair<std::uint64_t, const code::EntryPoint *>, CallPlace> known_;  // by call
    std::map<std::uint64_t, bool> after_loops_;  // by a barrier's call
};

}  // namespace gdb_ompd
