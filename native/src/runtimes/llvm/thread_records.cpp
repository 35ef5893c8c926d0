// SPDX-License-Identifier: Apache-2.0
#include "runtimes/llvm/thread_records.hpp"

#include "base/target.hpp"
#include "elf/address_space.hpp"

#include <vector>

namespace gdb_ompd::llvm {

namespace {

constexpr std::uint64_t max_gtid = 1U << 16U;  // above are the negative ones: KMP_GTID_DNE...
constexpr std::size_t gtid_size = 4;

std::optional<TargetAddr> own_number(AddressSpace &space, TargetAddr thread_pointer) {
    return space.symbol_address("__kmp_gtid", std::nullopt, thread_pointer);
}

}  // namespace

std::optional<std::uint64_t> global_number(const Memory &memory, TargetAddr thread_pointer) {
    try {
        const auto own = own_number(memory.space(), thread_pointer);
        const std::uint64_t number = own ? memory.field(*own, {0, gtid_size}) : max_gtid;
        return number < max_gtid ? std::optional(number) : std::nullopt;
    } catch (const MemoryUnreadable &) {
        throw Unreadable(thread_pointer);  // what leads to the thread's own storage
    }
}

std::optional<ThreadRecord> thread_record(const Memory &memory, const Places &places,
                                          TargetAddr threads, TargetAddr thread_pointer) {
    const auto number = global_number(memory, thread_pointer);
    if (!number) {
        return std::nullopt;
    }
    const TargetAddr info = memory.pointer(threads + pointer_size * *number);
    if (info.value == 0) {
        return std::nullopt;
    }
    const TargetAddr record = info + places.thread_in_info;
    const auto field = [&](FieldPlace place) { return memory.field(record, place); };
    return ThreadRecord{*number,
                        record,
                        field(places.thread.pthread_id),
                        field(places.thread.thread_num),
                        TargetAddr{field(places.thread.team)},
                        TargetAddr{field(places.thread.task)}};
}

void read_records_ahead(AddressSpace &space, const Places &places,
                        std::span<const TargetAddr> pointers) {
    if (!space.cache().kernel_process()) {
        return;
    }
    std::vector<TargetAddr> numbers;
    for (const TargetAddr pointer : pointers) {
        if (const auto number = own_number(space, pointer)) {
            numbers.push_back(*number);
        }
    }
    space.cache().read_ahead(numbers);
    const auto variable = space.symbol_address("__kmp_threads", std::nullopt, std::nullopt);
    const auto threads = variable ? space.uint_at(*variable, pointer_size) : std::nullopt;
    std::vector<TargetAddr> parts;
    std::vector<TargetAddr> tasks;
    for (const TargetAddr at : numbers) {
        const auto number = threads ? space.uint_at(at, gtid_size) : std::nullopt;
        const auto info =
            number && *number < max_gtid
                ? space.uint_at(TargetAddr{*threads + pointer_size * *number}, pointer_size)
                : std::nullopt;
        if (info.value_or(0) != 0) {
            const TargetAddr record = TargetAddr{*info} + places.thread_in_info;
            for (const FieldPlace &place :
                 {places.thread.pthread_id, places.thread.thread_num, places.thread.team,
                  places.thread.task, places.thread.ompt_info}) {
                parts.push_back(record + place.offset);
            }
            tasks.push_back(record + places.thread.task.offset);
        }
    }
    space.cache().read_ahead(parts);
    for (TargetAddr &task : tasks) {
        task = TargetAddr{space.uint_at(task, pointer_size).value_or(0)} + places.task.flags.offset;
    }
    space.cache().read_ahead(tasks);
}

}  // namespace gdb_ompd::llvm
