// SPDX-License-Identifier: Apache-2.0
// LLVM's runtime: what the handles of its OMPD library say, put right by the corrections and
// completed from the runtime's own records.
#pragma once

#include "runtimes/llvm/corrections.hpp"
#include "runtimes/llvm/helpers.hpp"
#include "runtimes/llvm/private_fields.hpp"
#include "runtimes/llvm/records.hpp"
#include "runtimes/llvm/task_chain.hpp"
#include "runtimes/llvm/task_records.hpp"
#include "runtimes/llvm/teams.hpp"
#include "runtimes/llvm/thread_records.hpp"
#include "runtimes/ompd_reader.hpp"

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <unordered_map>
#include <vector>

namespace gdb_ompd::llvm {

class Capabilities;
struct WaitingTask;

class LlvmReader : public OmpdReader {
public:
    // Reads the layout that the runtime publishes: throws Inconsistent where it cannot be one.
    LlvmReader(std::shared_ptr<Library> library, const std::shared_ptr<AddressSpace> &space);

    // Whether what the library says is put right. It ends the stop.
    void set_corrections(bool on);
    // Which thread is at a region's event, until the program goes on. It ends the stop.
    void set_boundary(Boundary boundary);
    // Where the runtime's code is, and what tells where it keeps what OMPD does not publish: asked
    // once, when that is needed.
    using AskFields = std::function<std::optional<PrivateFields>()>;
    void set_records(TaskRecords::CodeRanges code, AskFields fields);

    const StopFacts &read(std::span<const NativeThread> natives) override;
    std::vector<TaskFacts> tasks(std::span<const int> gdb_nums) override;
    std::vector<TaskFacts> implicit_tasks(int region) override;
    std::vector<IcvFacts> icvs(std::span<const int> gdb_nums,
                               std::span<const int> regions) override;
    SizeIcvs size_icvs(int region) override;
    std::vector<ControlVariable> control_variables() override;

    std::optional<Place> place(const NativeThread &thread) override;
    bool knows(const NativeThread &thread) override;
    std::vector<Membership> memberships(const NativeThread &thread) override;
    Fact<TaskKind> task_kind(const NativeThread &thread) override;
    Fact<std::string> state(const NativeThread &thread) override;
    std::optional<IcvFacts> icv(const NativeThread &thread, std::string_view name) override;

    void add_constructs(std::span<TaskFacts> tasks) override;
    std::optional<WaitingTasks> waiting_tasks() override;
    std::shared_ptr<gdb_ompd::Capabilities> capabilities() override;

    void end_stop() noexcept override;

private:
    // What is read of the runtime's records at a stop.
    struct Stop {
        Stop(AddressSpace &space, const Places &places, TargetAddr array, Boundary boundary)
            : teams(space, places, array, boundary), chains(teams), helpers(chains) {}

        Teams teams;
        TaskChains chains;
        Helpers helpers;
        std::unordered_map<int, OmpThread> threads;       // by GDB number
        std::unordered_map<std::uint64_t, int> gdb_nums;  // by the address of the record
        // The live regions, each with the library's number of it (0: it has none); those
        // whose enclosing region the library did not tell; and all by their number.
        std::map<RegionKey, int> said;
        std::map<RegionKey, const Team *> teams_of;
        std::map<RegionKey, Fact<int>> orphans;
        std::vector<RegionKey> keys;
    };
    // Threads
    void find_threads(std::span<const NativeThread> natives);
    void read_ahead(std::span<const NativeThread> natives) override;
    void find_starting(std::span<const NativeThread> natives);
    void correct_thread(ThreadFacts &facts, const OmpThread &thread);
    void correct_state(ThreadFacts &facts, int level) const;

    // Regions
    void correct_regions();
    void note_regions(const ThreadFacts &facts, const OmpThread &thread);
    void number_below(const std::optional<RegionKey> &parent);
    [[nodiscard]] RegionFacts region_facts(const RegionKey &key, const StopFacts &said) const;
    void correct_region(Fact<int> &fact, const std::optional<RegionKey> &key,
                        const Correction &rule) const;
    [[nodiscard]] int number_of(const std::optional<RegionKey> &key) const;
    [[nodiscard]] const Correction &region_rule(const Team &team) const;

    // Tasks
    [[nodiscard]] const std::optional<PrivateFields> &fields();
    [[nodiscard]] const std::shared_ptr<Capabilities> &records();
    [[nodiscard]] WaitingTaskFacts waiting_task(const WaitingTask &task) const;
    [[nodiscard]] std::optional<int> region_at(const std::optional<RegionKey> &key) const;
    [[nodiscard]] std::vector<TaskFacts> chain_of(int gdb_num, const OmpThread &thread);
    [[nodiscard]] TaskFacts task_facts(int gdb_num, const ChainedTask &task,
                                       const TaskFacts *said) const;

    // ICVs
    [[nodiscard]] SizeIcvs read_size_icvs(int region);
    [[nodiscard]] IcvFacts region_icv(const IcvName &icv, int region,
                                      const std::vector<IcvFacts> &said) const;
    void correct_variables(std::vector<ControlVariable> &found);
    void correct_icv(IcvFacts &facts) const;
    static void correct_icv(IcvFacts &facts, const OmpThread *thread, const TaskChains &chains);

    Layout layout_;
    Places places_;
    bool is_on_ = true;
    Boundary boundary_;
    std::unique_ptr<Stop> stop_;
    TaskRecords::CodeRanges code_;
    AskFields ask_fields_;
    bool has_asked_fields_ = false;
    std::optional<PrivateFields> fields_;
    std::shared_ptr<Capabilities> records_;  // of this stop
};

}  // namespace gdb_ompd::llvm
