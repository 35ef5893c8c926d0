// SPDX-License-Identifier: Apache-2.0
#include "runtimes/llvm/thread_records.hpp"

#include "base/kernel_memory.hpp"
#include "elf/address_space.hpp"

#include <algorithm>

namespace gdb_ompd::llvm {

namespace {

constexpr std::uint64_t max_gtid = 1U << 16U;  // above are the negative ones: KMP_GTID_DNE...
constexpr std::size_t gtid_size = 4;
constexpr std::size_t pointer_size = 8;

std::optional<TargetAddr> own_number(AddressSpace &space, TargetAddr thread_pointer) {
    return space.symbol_address("__kmp_gtid", std::nullopt, thread_pointer);
}

// How far from each thread's pointer its number in the runtime is; none if they differ, as
// they do where the runtime's thread-local storage is not static.
std::optional<std::uint64_t> number_offset(AddressSpace &space,
                                           std::span<const std::optional<TargetAddr>> pointers) {
    std::optional<TargetAddr> first;
    std::optional<TargetAddr> last;
    for (const auto &pointer : pointers) {
        last = pointer ? pointer : last;
        first = first ? first : pointer;
    }
    const auto distance = [&](TargetAddr pointer) -> std::optional<std::uint64_t> {
        const auto address = own_number(space, pointer);
        return address ? std::optional(address->value - pointer.value) : std::nullopt;
    };
    const auto found = first ? distance(*first) : std::nullopt;
    return found && found == distance(*last) ? found : std::nullopt;
}

// The bytes of a thread's record from the first to the last field that is of interest: a page
// for each field would cost more than these.
struct Extent {
    explicit Extent(const Places &places) : thread(places.thread) {
        const auto fields = {thread.pthread_id, thread.thread_num, thread.team, thread.task};
        begin = fields.begin()->offset;
        for (const FieldPlace &field : fields) {
            begin = std::min(begin, field.offset);
        }
        for (const FieldPlace &field : fields) {
            size = std::max(size, field.offset + field.size - begin);
        }
    }

    decltype(Places::thread) thread;
    std::uint64_t begin = 0;
    std::uint64_t size = 0;
};

void take(const AddressSpace &space, const Extent &extent, std::span<const std::byte> bytes,
          ThreadRecord &found) {
    const auto field = [&](const FieldPlace &place) {
        return space.to_uint(bytes.subspan(place.offset - extent.begin, place.size));
    };
    found.pthread_id = field(extent.thread.pthread_id);
    found.thread_num = field(extent.thread.thread_num);
    found.team = TargetAddr{field(extent.thread.team)};
    found.task = TargetAddr{field(extent.thread.task)};
}

// Reads one place for each thread that is still asked about, all of them at once.
class Round {
public:
    Round(int process, std::size_t threads, std::size_t size)
        : process_(process), size_(size), bytes_(threads * size), piece_of_(threads, none) {}

    void ask(std::size_t thread, TargetAddr from) {
        piece_of_[thread] = pieces_.size();
        pieces_.push_back({from, std::span(bytes_).subspan(thread * size_, size_)});
    }
    void read() { read_pieces(process_, pieces_); }
    // None for a thread that was not asked about, or that could not be read.
    [[nodiscard]] std::optional<std::span<const std::byte>> of(std::size_t thread) const {
        const std::size_t piece = piece_of_[thread];
        if (piece == none || !pieces_[piece].is_read) {
            return std::nullopt;
        }
        return pieces_[piece].to;
    }

private:
    static constexpr std::size_t none = static_cast<std::size_t>(-1);

    int process_;
    std::size_t size_;
    std::vector<std::byte> bytes_;
    std::vector<Piece> pieces_;
    std::vector<std::size_t> piece_of_;
};

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
    ThreadRecord found;
    found.gtid = *number;
    const TargetAddr info = memory.pointer(threads + pointer_size * found.gtid);
    if (info.value == 0) {
        return std::nullopt;
    }
    found.address = info + places.thread_in_info;
    const Extent extent(places);
    std::vector<std::byte> bytes(extent.size);
    memory.read(found.address + extent.begin, bytes);
    take(memory.space(), extent, bytes, found);
    return found;
}

std::vector<RecordRead> thread_records(AddressSpace &space, const Places &places,
                                       TargetAddr threads, int process,
                                       std::span<const std::optional<TargetAddr>> pointers) {
    std::vector<RecordRead> found(pointers.size());
    const auto offset = number_offset(space, pointers);
    if (!offset) {
        return found;
    }
    const auto each = [&found](auto &&step) {
        for (std::size_t i = 0; i < found.size(); ++i) {
            step(i, found[i]);
        }
    };
    Round numbers(process, found.size(), gtid_size);
    each([&](std::size_t i, const RecordRead &) {
        if (pointers[i]) {
            numbers.ask(i, *pointers[i] + *offset);
        }
    });
    numbers.read();
    Round infos(process, found.size(), pointer_size);
    each([&](std::size_t i, RecordRead &one) {
        const auto number = numbers.of(i);
        one.record.gtid = number ? space.to_uint(*number) : max_gtid;
        if (one.record.gtid < max_gtid) {
            infos.ask(i, threads + pointer_size * one.record.gtid);
        } else if (number) {
            one.kind = RecordRead::Kind::unknown;
        }
    });
    infos.read();
    const Extent extent(places);
    Round records(process, found.size(), extent.size);
    each([&](std::size_t i, RecordRead &one) {
        const auto info = infos.of(i);
        if (const std::uint64_t address = info ? space.to_uint(*info) : 0; address != 0) {
            one.record.address = TargetAddr{address} + places.thread_in_info;
            records.ask(i, one.record.address + extent.begin);
        } else if (info) {
            one.kind = RecordRead::Kind::unknown;
        }
    });
    records.read();
    each([&](std::size_t i, RecordRead &one) {
        if (const auto bytes = records.of(i)) {
            take(space, extent, *bytes, one.record);
            one.kind = RecordRead::Kind::read;
        }
    });
    return found;
}

}  // namespace gdb_ompd::llvm
