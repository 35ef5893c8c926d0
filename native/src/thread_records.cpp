// SPDX-License-Identifier: Apache-2.0
#include "thread_records.hpp"

#include "address_space.hpp"

#include <algorithm>
#include <initializer_list>
#include <span>
#include <stdexcept>
#include <vector>

namespace gdb_ompd {

namespace {

constexpr std::uint64_t max_gtid = 1U << 16U;  // above are the negative ones: KMP_GTID_DNE...
constexpr std::size_t gtid_size = 4;
constexpr std::size_t pointer_size = 8;

// A record with a gap that is longer is no record of LLVM's.
constexpr std::size_t max_record = 4096;

// Fields of one record, which lies among others that are of no interest: a page for each
// would cost more than these bytes.
class Record {
public:
    Record(AddressSpace &space, TargetAddr address, std::initializer_list<FieldPlace> fields)
        : space_(space) {
        const auto by_begin = [](const FieldPlace &a, const FieldPlace &b) {
            return a.offset < b.offset;
        };
        const auto by_end = [](const FieldPlace &a, const FieldPlace &b) {
            return a.offset + a.size < b.offset + b.size;
        };
        const FieldPlace last = std::max(fields, by_end);
        begin_ = std::min(fields, by_begin).offset;
        const std::uint64_t size = last.offset + last.size - begin_;
        if (size > max_record) {
            throw std::invalid_argument("the fields of a record are too far apart");
        }
        bytes_.resize(size);
        space.read_exactly(address + begin_, bytes_);
    }

    [[nodiscard]] std::uint64_t field(const FieldPlace &place) const {
        return space_.to_uint(std::span(bytes_).subspan(place.offset - begin_, place.size));
    }

private:
    AddressSpace &space_;
    std::uint64_t begin_;
    std::vector<std::byte> bytes_;
};

}  // namespace

std::optional<ThreadRecord> read_thread(AddressSpace &space, const RecordLayout &layout,
                                        TargetAddr thread_pointer) {
    const auto own_number = space.symbol_address("__kmp_gtid", std::nullopt, thread_pointer);
    if (!own_number) {
        return std::nullopt;
    }
    ThreadRecord found;
    found.gtid = Record(space, *own_number, {{0, gtid_size}}).field({0, gtid_size});
    if (found.gtid >= max_gtid) {
        return std::nullopt;
    }
    const TargetAddr info = space.read_pointer(layout.threads + pointer_size * found.gtid);
    if (info.value == 0) {
        return std::nullopt;
    }
    found.address = info + layout.info;
    const Record record(space, found.address,
                        {layout.pthread_id, layout.thread_num, layout.team, layout.task,
                         layout.state, layout.wait_id});
    found.pthread_id = record.field(layout.pthread_id);
    found.thread_num = record.field(layout.thread_num);
    found.team = record.field(layout.team);
    found.task = record.field(layout.task);
    found.state = record.field(layout.state);
    found.wait_id = record.field(layout.wait_id);
    if (found.task != 0) {
        const TargetAddr task{found.task};
        found.task_flags = space.read_uint(task + layout.task_flags.offset, layout.task_flags.size);
        found.task_team = space.read_uint(task + layout.task_team.offset, layout.task_team.size);
    }
    return found;
}

}  // namespace gdb_ompd
