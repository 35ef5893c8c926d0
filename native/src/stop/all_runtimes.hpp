// SPDX-License-Identifier: Apache-2.0
// What all OpenMP runtimes of a process say at one stop.
//
// Nearly always there is one. With two (a program on libomp that loads a library on libgomp), each
// thread belongs to the runtime in whose region it is.
#pragma once

#include "runtimes/reader.hpp"
#include "stop/known_runtimes.hpp"
#include "stop/task_ids.hpp"

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace gdb_ompd {

class AllRuntimes {
public:
    // Which runtime, in the order in which they were added.
    using Position = std::size_t;

    AllRuntimes(std::vector<NativeThread> natives, FallbackFrames fallbacks)
        : natives_(std::move(natives)), fallbacks_(std::move(fallbacks)) {}

    using Range = std::pair<std::uint64_t, std::uint64_t>;

    // Reads the stop of another runtime with this FILE and CODE, whose READER outlives this. It is
    // none of these if that throws.
    void add(RuntimeReader &reader, std::string file, std::vector<Range> code);

    void clear() { *this = AllRuntimes(std::move(natives_), std::move(fallbacks_)); }

    [[nodiscard]] const std::vector<NativeThread> &natives() const noexcept { return natives_; }
    [[nodiscard]] std::size_t size() const noexcept { return parts_.size(); }
    [[nodiscard]] RuntimeReader &reader(Position position) { return *parts_.at(position).reader; }
    [[nodiscard]] const std::string &file(Position position) const {
        return parts_.at(position).file;
    }
    // The file that tells a runtime from the others, "" where it is the only one.
    [[nodiscard]] std::string distinct_file(Position position) const {
        return size() == 1 ? "" : file(position);
    }
    // Whose code is at an address, none for other code.
    [[nodiscard]] std::optional<Position> runtime_at(std::uint64_t pc) const;
    // The numbers of a runtime's regions among all are above this.
    [[nodiscard]] int first_region(Position position) const {
        return parts_.at(position).first_region;
    }
    [[nodiscard]] Position runtime_of_region(int region) const;
    [[nodiscard]] const StopFacts &facts(Position position) const {
        return *parts_.at(position).facts;
    }
    // Every thread, as the runtime tells it in whose region it is.
    [[nodiscard]] std::vector<KnownThread> threads() const;
    // Has no thread be for certain none of OpenMP's: a runtime that could know it is not read. WHY
    // is not empty.
    void doubt_natives(std::string why) { doubt_ = std::move(why); }
    [[nodiscard]] const std::string &doubt() const noexcept { return doubt_; }

    // In whose region the thread in this row is, the first where none knows it.
    [[nodiscard]] Position runtime_of(std::size_t row) const;
    // The same of threads, in their order: neighbours of one runtime together.
    [[nodiscard]] std::vector<std::pair<Position, std::vector<int>>>
    by_runtime(std::span<const int> gdb_nums) const;
    // The threads that have begun as many regions of one runtime as of another. Which is the inner
    // one their stacks tell.
    [[nodiscard]] std::vector<int> undecided() const;
    void choose(std::map<int, Position> chosen) { chosen_ = std::move(chosen); }

    // Those of threads that a runtime knows, and of regions that are its own by its own numbers.
    [[nodiscard]] std::vector<int> known_to(Position position, std::span<const int> threads) const;
    [[nodiscard]] std::vector<int> own_regions(Position position,
                                               std::span<const int> regions) const;
    // How many of the regions that a thread is in, of all runtimes, it has begun itself; none where
    // one does not tell.
    [[nodiscard]] std::optional<int> begun_by(int gdb_num) const;
    // Which tasks threads execute. Nothing of those whose runtime's memory is damaged.
    [[nodiscard]] std::map<int, TaskIds> task_ids(std::span<const int> gdb_nums);
    // The default devices of threads, by GDB numbers; nothing of those of which they are not known.
    [[nodiscard]] std::map<int, std::int64_t> default_devices(std::span<const int> gdb_nums);
    [[nodiscard]] const std::vector<KnownRegion> &regions() const noexcept { return regions_; }
    // The innermost region that a thread is in, none of one that runs.
    [[nodiscard]] std::optional<int> region_of(int gdb_num) const;
    // Whether another thread has begun a region that a thread is in.
    [[nodiscard]] bool is_worker(int gdb_num) const;
    // Those of the regions that a thread is in which it has begun, innermost first.
    [[nodiscard]] std::vector<int> begun_around(int gdb_num) const;
    // All regions that a thread has begun, outermost first. What its record does not lead to is
    // outside of the target region that it executes on the host.
    [[nodiscard]] std::vector<int> begun(int gdb_num) const;
    // Whether a thread is in a teams construct.
    [[nodiscard]] bool is_in_league(int gdb_num) const { return teams_around(gdb_num) > 0; }
    // How many teams a thread's league has; 0 outside of one.
    [[nodiscard]] int teams_around(int gdb_num) const;
    // The initial threads that stand still outside of regions.
    [[nodiscard]] std::vector<int> initial_threads() const;

    // A runtime's records, null where they are not known or cannot be read.
    [[nodiscard]] std::shared_ptr<Capabilities> records(Position position);
    // Which is whose.
    [[nodiscard]] KnownRuntimes known();

private:
    // What one runtime says of one thread.
    struct View {
        bool is_known = false;
        int inside = 0;
        bool in_explicit_task = false;
        bool waits = false;
        std::optional<int> begun;   // regions
        std::optional<int> region;  // the innermost, by its number among all
        bool is_initial = false;    // and in no region
        int teams = 0;              // of its league

        [[nodiscard]] auto rank() const { return std::tuple(inside, in_explicit_task, waits); }
    };
    struct Part {
        RuntimeReader *reader;
        std::string file;
        std::vector<Range> code;
        int first_region;
        std::vector<View> views;  // by row
        const StopFacts *facts;   // the reader's
    };
    [[nodiscard]] static View view_of(const ThreadFacts &thread, int first_region);

    std::vector<NativeThread> natives_;
    FallbackFrames fallbacks_;
    std::vector<Part> parts_;
    std::vector<KnownRegion> regions_;
    std::map<int, std::size_t> rows_;
    std::map<int, Position> chosen_;
    std::string doubt_;
};

}  // namespace gdb_ompd
