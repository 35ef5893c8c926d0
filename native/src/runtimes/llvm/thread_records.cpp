// SPDX-License-Identifier: Apache-2.0
#include "runtimes/llvm/thread_records.hpp"

#include "base/kernel_memory.hpp"
#include "elf/address_space.hpp"

#include <algorithm>
#include <array>
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

// The bytes from the first to the last of some fields of one record, which lies among others
// that are of no interest: a page for each would cost more than these bytes.
struct Extent {
    explicit Extent(std::initializer_list<FieldPlace> fields) {
        const auto by_begin = [](const FieldPlace &a, const FieldPlace &b) {
            return a.offset < b.offset;
        };
        const auto by_end = [](const FieldPlace &a, const FieldPlace &b) {
            return a.offset + a.size < b.offset + b.size;
        };
        const FieldPlace last = std::max(fields, by_end);
        begin = std::min(fields, by_begin).offset;
        size = last.offset + last.size - begin;
        if (size > max_record) {
            throw std::invalid_argument("the fields of a record are too far apart");
        }
    }

    std::uint64_t begin;
    std::uint64_t size;
};

Extent of_thread(const RecordLayout &layout) {
    return Extent{layout.pthread_id, layout.thread_num, layout.team,
                  layout.task,       layout.state,      layout.wait_id};
}

Extent of_task(const RecordLayout &layout) { return Extent{layout.task_flags, layout.task_team}; }

// What BYTES, which are of an extent, have in a field.
std::uint64_t field_of(const AddressSpace &space, const Extent &extent,
                       std::span<const std::byte> bytes, const FieldPlace &place) {
    return space.to_uint(bytes.subspan(place.offset - extent.begin, place.size));
}

void take_thread(const AddressSpace &space, const RecordLayout &layout,
                 std::span<const std::byte> bytes, ThreadRecord &found) {
    const Extent extent = of_thread(layout);
    found.pthread_id = field_of(space, extent, bytes, layout.pthread_id);
    found.thread_num = field_of(space, extent, bytes, layout.thread_num);
    found.team = field_of(space, extent, bytes, layout.team);
    found.task = field_of(space, extent, bytes, layout.task);
    found.state = field_of(space, extent, bytes, layout.state);
    found.wait_id = field_of(space, extent, bytes, layout.wait_id);
}

// Reads one place for each thread that is still asked about, all of them at once.
class Round {
public:
    Round(int process, ReadNotes *notes, std::size_t threads, std::size_t size)
        : process_(process), notes_(notes), size_(size), bytes_(threads * size),
          piece_of_(threads, none) {}

    void ask(std::size_t thread, TargetAddr from) {
        piece_of_[thread] = pieces_.size();
        pieces_.push_back({from, std::span(bytes_).subspan(thread * size_, size_)});
    }
    void read() {
        read_pieces(process_, pieces_);
        if (notes_ == nullptr) {
            return;
        }
        for (const Piece &piece : pieces_) {
            notes_->ask();
            if (piece.is_read) {
                notes_->answer(piece.from, piece.to);
            }
        }
    }
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
    ReadNotes *notes_;
    std::size_t size_;
    std::vector<std::byte> bytes_;
    std::vector<Piece> pieces_;
    std::vector<std::size_t> piece_of_;
};

}  // namespace

std::optional<ThreadRecord> read_thread(AddressSpace &space, const RecordLayout &layout,
                                        TargetAddr thread_pointer) {
    const auto own_number = space.symbol_address("__kmp_gtid", std::nullopt, thread_pointer);
    if (!own_number) {
        return std::nullopt;
    }
    ThreadRecord found;
    std::array<std::byte, gtid_size> number{};
    space.read_exactly(*own_number, number);
    found.gtid = space.to_uint(number);
    if (found.gtid >= max_gtid) {
        return std::nullopt;
    }
    const TargetAddr info = space.read_pointer(layout.threads + pointer_size * found.gtid);
    if (info.value == 0) {
        return std::nullopt;
    }
    found.address = info + layout.info;
    const Extent extent = of_thread(layout);
    std::vector<std::byte> bytes(extent.size);
    space.read_exactly(found.address + extent.begin, bytes);
    take_thread(space, layout, bytes, found);
    if (found.task != 0) {
        const TargetAddr task{found.task};
        found.task_flags = space.read_uint(task + layout.task_flags.offset, layout.task_flags.size);
        found.task_team = space.read_uint(task + layout.task_team.offset, layout.task_team.size);
    }
    return found;
}

std::vector<RecordRead> read_threads(AddressSpace &space, const RecordLayout &layout,
                                     const InKernel &where,
                                     std::span<const std::optional<std::uint64_t>> pointers) {
    std::vector<RecordRead> found(pointers.size());
    const auto each = [&found](auto &&step) {
        for (std::size_t i = 0; i < found.size(); ++i) {
            step(i, found[i]);
        }
    };
    Round numbers(where.process, space.notes(), found.size(), gtid_size);
    each([&](std::size_t i, const RecordRead &) {
        if (pointers[i]) {
            numbers.ask(i, TargetAddr{*pointers[i] + where.own_number});
        }
    });
    numbers.read();
    Round infos(where.process, space.notes(), found.size(), pointer_size);
    each([&](std::size_t i, RecordRead &one) {
        const auto number = numbers.of(i);
        one.record.gtid = number ? space.to_uint(*number) : max_gtid;
        if (one.record.gtid < max_gtid) {
            infos.ask(i, layout.threads + pointer_size * one.record.gtid);
        } else if (number) {
            one.kind = RecordRead::Kind::unknown;
        }
    });
    infos.read();
    const Extent thread = of_thread(layout);
    Round records(where.process, space.notes(), found.size(), thread.size);
    each([&](std::size_t i, RecordRead &one) {
        const auto info = infos.of(i);
        if (const std::uint64_t address = info ? space.to_uint(*info) : 0; address != 0) {
            one.record.address = TargetAddr{address} + layout.info;
            records.ask(i, one.record.address + thread.begin);
        } else if (info) {
            one.kind = RecordRead::Kind::unknown;
        }
    });
    records.read();
    const Extent task = of_task(layout);
    Round tasks(where.process, space.notes(), found.size(), task.size);
    each([&](std::size_t i, RecordRead &one) {
        const auto bytes = records.of(i);
        if (!bytes) {
            return;
        }
        take_thread(space, layout, *bytes, one.record);
        if (one.record.task != 0) {
            tasks.ask(i, TargetAddr{one.record.task} + task.begin);
        } else {
            one.kind = RecordRead::Kind::read;
        }
    });
    tasks.read();
    each([&](std::size_t i, RecordRead &one) {
        if (const auto bytes = tasks.of(i)) {
            one.record.task_flags = field_of(space, task, *bytes, layout.task_flags);
            one.record.task_team = field_of(space, task, *bytes, layout.task_team);
            one.kind = RecordRead::Kind::read;
        }
    });
    return found;
}

}  // namespace gdb_ompd
