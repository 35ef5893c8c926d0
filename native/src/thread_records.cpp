// SPDX-License-Identifier: Apache-2.0
#include "thread_records.hpp"

#include "address_space.hpp"

namespace gdb_ompd {

namespace {

constexpr std::uint64_t max_gtid = 1U << 16U;  // above are the negative ones: KMP_GTID_DNE...
constexpr std::size_t gtid_size = 4;
constexpr std::size_t pointer_size = 8;

}  // namespace

std::optional<ThreadRecord> read_thread(AddressSpace &space, const RecordLayout &layout,
                                        TargetAddr thread_pointer) {
    const auto own_number = space.symbol_address("__kmp_gtid", std::nullopt, thread_pointer);
    if (!own_number) {
        return std::nullopt;
    }
    ThreadRecord found;
    found.gtid = space.read_uint(*own_number, gtid_size);
    if (found.gtid >= max_gtid) {
        return std::nullopt;
    }
    const TargetAddr info = space.read_pointer(layout.threads + pointer_size * found.gtid);
    if (info.value == 0) {
        return std::nullopt;
    }
    found.address = info + layout.info;
    const auto read = [&space](TargetAddr record, const FieldPlace &field) {
        return space.read_uint(record + field.offset, field.size);
    };
    found.pthread_id = read(found.address, layout.pthread_id);
    found.thread_num = read(found.address, layout.thread_num);
    found.team = read(found.address, layout.team);
    found.task = read(found.address, layout.task);
    found.state = read(found.address, layout.state);
    found.wait_id = read(found.address, layout.wait_id);
    if (found.task != 0) {
        const TargetAddr task{found.task};
        found.task_flags = read(task, layout.task_flags);
        found.task_team = read(task, layout.task_team);
    }
    return found;
}

}  // namespace gdb_ompd
