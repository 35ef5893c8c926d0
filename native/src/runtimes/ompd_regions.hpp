// SPDX-License-Identifier: Apache-2.0
// The parallel regions that a stop's threads are in, as an OMPD library's handles have them.
#pragma once

#include "model/facts.hpp"
#include "ompd/handles.hpp"
#include "runtimes/ompd_icvs.hpp"

#include <functional>
#include <map>
#include <memory>
#include <vector>

namespace gdb_ompd {

// Orders handles by the library's own compare function, by which alone two handles are
// known to stand for the same region or task.
template <class H> struct ByLibrary {
    bool operator()(const H *one, const H *other) const {
        return one != other && one->compare(*other) < 0;
    }
};

// Regions with the implicit one around the whole program, each once.
class ParallelRegions {
public:
    struct Region {
        std::unique_ptr<ParallelHandle> handle;
        const Region *parent = nullptr;
        const char *parent_failed = nullptr;  // what failed where it is not known
        ompd_rc_t parent_code = ompd_rc_ok;
        Fact<int> level, active_level, team_size;
        std::vector<std::optional<int>> threads;  // GDB numbers by thread number
        const char *threads_failed = nullptr;
        int number = 0;  // as in StopFacts; 0 for the one around the program

        // Whether it is the implicit one around the whole program: at level 0.
        [[nodiscard]] bool implicit() const noexcept;
        [[nodiscard]] std::optional<int> primary() const noexcept {
            return threads.empty() ? std::nullopt : threads.front();
        }
        [[nodiscard]] std::optional<int> thread_num_of(std::optional<int> gdb_num) const;
    };
    // The GDB number of the thread that a handle of the library's stands for; throws
    // OmpdError where the library does not tell.
    using GdbNumber = std::function<std::optional<int>(const ThreadHandle &)>;

    ParallelRegions(const IcvTable &icvs, GdbNumber gdb_number)
        : icvs_(icvs), gdb_number_(std::move(gdb_number)) {}

    // The region that HANDLE stands for; it is noted with those that enclose it. Throws
    // OmpdError where these form a cycle or the library cannot compare.
    const Region *note(std::unique_ptr<ParallelHandle> handle);
    // The same where it is noted, null otherwise.
    [[nodiscard]] const Region *find(const ParallelHandle &handle) const;
    // Number the regions, a parent before its children, and return their facts.
    std::vector<RegionFacts> facts();
    // The region with that number, null where there is none.
    [[nodiscard]] const Region *numbered(int number) const noexcept;

private:
    [[nodiscard]] Region *known(const ParallelHandle &handle) const;
    Region *insert(std::unique_ptr<ParallelHandle> handle);
    void read_threads(Region &region) const;
    // Read a thread of REGION by a HANDLE of it.
    void read_thread(Region &region, const ParallelHandle &handle, int thread_num) const;
    // Who has begun a region may be told by another thread's HANDLE of it than the one that was
    // noted; the same of those that enclose it.
    void read_primaries(std::unique_ptr<ParallelHandle> handle) const;
    void number_below(const Region *parent);

    const IcvTable &icvs_;
    GdbNumber gdb_number_;
    std::vector<std::unique_ptr<Region>> regions_;  // in the order in which they were noted
    std::map<const ParallelHandle *, Region *, ByLibrary<ParallelHandle>> by_handle_;
    Region *last_ = nullptr;  // the innermost one noted last: most threads are in one region
    std::vector<Region *> numbered_;
};

// Set the numbers and sizes at each level, as far as known, of a thread whose thread_num in REGION
// is known. There are none where the library does not tell the level.
void set_memberships(ThreadFacts &facts, const ParallelRegions::Region &region);

}  // namespace gdb_ompd
