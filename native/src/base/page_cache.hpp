// SPDX-License-Identifier: Apache-2.0
// Target memory by whole lines, as a debugger's read costs more than its bytes.
#pragma once

#include "base/kernel_memory.hpp"
#include "base/target.hpp"

#include <array>
#include <memory>
#include <optional>
#include <span>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace gdb_ompd {

class PageCache {
public:
    static constexpr std::size_t max_bytes = std::size_t{64} << 20;

    // Throws std::invalid_argument unless LINE_SIZE is a power of two from 16
    // to 1 MiB.
    PageCache(std::shared_ptr<Target> target, std::size_t line_size);

    // As Target::read_memory.
    bool read(TargetAddr address, std::span<std::byte> out);
    // The same for what has no neighbours that will be asked for: no more is fetched than
    // OUT, and nothing is kept.
    bool read_exactly(TargetAddr address, std::span<std::byte> out);
    void write(TargetAddr address, std::span<const std::byte> data);
    // Have the lines at ADDRESSES by one read of the kernel's, where it is read: one for each
    // costs more than what it copies. What cannot be read is left for who asks for it.
    void read_ahead(std::span<const TargetAddr> addresses);
    void clear() noexcept;
    // Read PROCESS's memory from the kernel where it gives it, which costs a fraction of the
    // debugger's read; none ends that. Not for code, in which the debugger's breakpoints show.
    void read_from_kernel(std::optional<int> process) noexcept { process_ = process; }
    [[nodiscard]] std::optional<int> kernel_process() const noexcept { return process_; }

    [[nodiscard]] Target &target() const noexcept { return *target_; }
    [[nodiscard]] std::size_t line_count() const noexcept { return lines_.size(); }
    [[nodiscard]] std::uint64_t target_reads() const noexcept { return target_reads_; }

private:
    // Where a line is; no bytes: none is kept there.
    struct Kept {
        std::uint64_t base = 0;
        const std::byte *bytes = nullptr;
    };

    bool fetch(TargetAddr address, std::span<std::byte> out);
    const std::byte *line(std::uint64_t base);
    const std::byte *find_line(std::uint64_t base);
    const std::byte *fetch_line(std::uint64_t base);
    void note_first(std::uint64_t base, bool is_new);
    std::byte *allocate(std::size_t lines);
    void keep(std::span<Piece> runs);
    void patch(TargetAddr address, std::span<const std::byte> data);
    void forget(TargetAddr address, std::size_t size);

    std::shared_ptr<Target> target_;
    std::size_t line_size_;
    std::optional<int> process_;
    std::uint64_t target_reads_ = 0;
    // What the lines are in: it is not set to zero before it is read.
    // NOLINTNEXTLINE(modernize-avoid-c-arrays): std::vector has no other way
    std::vector<std::unique_ptr<std::byte[]>> blocks_;
    std::size_t allocated_ = 0;
    std::unordered_map<std::uint64_t, std::byte *> lines_;
    std::unordered_set<std::uint64_t> ragged_;  // lines that cannot be read as a whole
    // The lines that were asked for last, each at a place of its own: a library asks for the same
    // few again and again.
    std::array<Kept, 64> recent_{};
    // The first lines that were asked for one by one since the last clear(), and before it, while
    // the kernel was read. They must not be read for any others. The next stop begins with the
    // same, and has them by one read. A listing makes 5 reads so, of 16 threads as of 256.
    std::vector<TargetAddr> first_, first_before_;
    bool has_first_before_ = false;
};

// While it exists, CACHE reads data of PROCESS from the kernel; none changes nothing.
class KernelReads {
public:
    KernelReads(PageCache &cache, std::optional<int> process) noexcept
        : cache_(cache), before_(cache.kernel_process()) {
        cache_.read_from_kernel(process ? process : before_);
    }
    ~KernelReads() { cache_.read_from_kernel(before_); }
    KernelReads(const KernelReads &) = delete;
    KernelReads &operator=(const KernelReads &) = delete;

private:
    PageCache &cache_;
    std::optional<int> before_;
};

}  // namespace gdb_ompd
