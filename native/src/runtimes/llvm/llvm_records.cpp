// SPDX-License-Identifier: Apache-2.0
// What LlvmReader answers of the runtime's records that OMPD has no word for.
#include "runtimes/llvm/llvm_reader.hpp"

#include "elf/address_space.hpp"
#include "recovery/lock_table.hpp"
#include "runtimes/llvm/alone.hpp"
#include "runtimes/llvm/capabilities.hpp"
#include "runtimes/llvm/start.hpp"

#include <algorithm>

namespace gdb_ompd::llvm {

const std::optional<PrivateFields> &LlvmReader::fields() {
    if (!has_asked_fields_ && ask_fields_) {
        fields_ = ask_fields_();
        has_asked_fields_ = true;
    }
    return fields_;
}

const std::shared_ptr<Capabilities> &LlvmReader::records() {
    if (records_ == nullptr && fields()) {
        std::vector<KnownThread> threads;
        if (stop_ != nullptr) {
            for (const auto &[gdb_num, thread] : stop_->threads) {
                threads.push_back({gdb_num, thread.address, thread.gtid});
            }
        }
        const RuntimePlaces places{
            layout_, *fields_, threads_array(space()),
            space().symbol_address(recovery::lock_table, std::nullopt, std::nullopt), boundary_};
        records_ = std::make_shared<Capabilities>(shared_space(), places, threads);
    }
    return records_;
}

std::shared_ptr<gdb_ompd::Capabilities> LlvmReader::capabilities() { return records(); }

void LlvmReader::add_constructs(std::span<TaskFacts> tasks) {
    std::vector<TargetAddr> addresses;
    std::vector<TaskFacts *> explicit_ones;
    for (TaskFacts &task : tasks) {
        if (task.kind.value == TaskKind::explicit_) {
            addresses.push_back(TargetAddr{task.identity});
            explicit_ones.push_back(&task);
        }
    }
    if (addresses.empty() || records() == nullptr) {
        return;
    }
    auto places = records()->constructs(addresses, code_);
    for (std::size_t i = 0; i < places.size(); ++i) {
        explicit_ones[i]->construct = std::move(places[i]);
    }
}

std::optional<WaitingTasks> LlvmReader::waiting_tasks() {
    const KernelReads reads(space().cache(), kernels_process());
    const auto own = records();
    const auto found =
        own != nullptr ? own->waiting_tasks(code_, events_enabled(space())) : std::nullopt;
    if (!found) {
        return std::nullopt;
    }
    WaitingTasks waiting{{}, found->notes};
    for (const WaitingTask &task : found->tasks) {
        waiting.tasks.push_back(waiting_task(task));
    }
    return waiting;
}

WaitingTaskFacts LlvmReader::waiting_task(const WaitingTask &task) const {
    return {task.identity.value,
            task.where,
            task.function,
            task.is_final,
            task.queue,
            task.creator,
            task.creator_function,
            region_at(task.creator_region),
            task.creator_thread_num,
            region_at(task.region),
            task.generated_by.value,
            task.is_tied,
            task.construct,
            task.creator_construct};
}

// The number of a region that was read at this stop.
std::optional<int> LlvmReader::region_at(const std::optional<RegionKey> &key) const {
    const auto found =
        key ? std::ranges::find(facts_.regions, key->identity(), &RegionFacts::identity)
            : facts_.regions.end();
    return found == facts_.regions.end()
               ? std::nullopt
               : std::optional(static_cast<int>(found - facts_.regions.begin()) + 1);
}

}  // namespace gdb_ompd::llvm
