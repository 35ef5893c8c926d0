// SPDX-License-Identifier: Apache-2.0
#include "base/kernel_memory.hpp"

#if defined(__linux__)
#include <algorithm>
#include <cerrno>
#include <numeric>
#include <sys/uio.h>
#include <vector>
#endif

namespace gdb_ompd {

#if defined(__linux__)

namespace {

constexpr std::size_t at_once = 256;  // the kernel takes 1024
constexpr std::uint64_t gap = 1024;   // bytes that nobody asked for, at most, in between
constexpr std::uint64_t longest_read = std::uint64_t{1} << 16U;

// Returns how many pieces were read before the first that was not, and sets GIVEN_UP where
// no other will be either.
std::size_t read_batch(int process, std::span<Piece> batch, bool &given_up) {
    std::vector<iovec> here(batch.size());
    std::vector<iovec> there(batch.size());
    for (std::size_t i = 0; i < batch.size(); ++i) {
        here[i] = {batch[i].to.data(), batch[i].to.size()};
        // NOLINTNEXTLINE(performance-no-int-to-ptr): the kernel wants the other's address so
        there[i] = {reinterpret_cast<void *>(batch[i].from.value), batch[i].to.size()};
    }
    const ssize_t given =
        process_vm_readv(process, here.data(), batch.size(), there.data(), batch.size(), 0);
    given_up = given < 0 && errno != EFAULT;
    std::size_t left = given < 0 ? 0 : static_cast<std::size_t>(given);
    std::size_t whole = 0;
    while (whole < batch.size() && left >= batch[whole].to.size()) {
        left -= batch[whole].to.size();
        batch[whole++].is_read = true;
    }
    return whole;
}

// Fills those of PIECES that can be read, one place in the kernel for each.
void read_each(int process, std::span<Piece> pieces) {
    bool given_up = false;
    while (!pieces.empty() && !given_up) {
        const auto batch = pieces.first(std::min(at_once, pieces.size()));
        const std::size_t whole = read_batch(process, batch, given_up);
        // The one that could not be read is passed over.
        pieces = pieces.subspan(std::min(whole + (whole < batch.size() ? 1 : 0), pieces.size()));
    }
}

// Neighbours among the pieces, which are read as one: a place costs more than its bytes.
struct Run {
    std::uint64_t begin;
    std::uint64_t end;
    std::vector<std::size_t> members;
};

std::vector<Run> runs_of(std::span<const Piece> pieces) {
    std::vector<std::size_t> order(pieces.size());
    std::iota(order.begin(), order.end(), 0);
    std::sort(order.begin(), order.end(), [&pieces](std::size_t a, std::size_t b) {
        return pieces[a].from.value < pieces[b].from.value;
    });
    std::vector<Run> runs;
    for (const std::size_t i : order) {
        const std::uint64_t begin = pieces[i].from.value;
        const std::uint64_t end = begin + pieces[i].to.size();
        if (runs.empty() || end < begin || begin > runs.back().end + gap ||
            end > runs.back().begin + longest_read) {
            runs.push_back({begin, end, {i}});
        } else {
            runs.back().end = std::max(runs.back().end, end);
            runs.back().members.push_back(i);
        }
    }
    return runs;
}

}  // namespace

void read_pieces(int process, std::span<Piece> pieces) {
    if (pieces.size() == 1) {
        read_each(process, pieces);
        return;
    }
    const std::vector<Run> runs = runs_of(pieces);
    std::size_t total = 0;
    for (const Run &run : runs) {
        total += run.end - run.begin;
    }
    std::vector<std::byte> bytes(total);
    std::vector<Piece> wholes;
    std::size_t at = 0;
    for (const Run &run : runs) {
        const std::size_t size = run.end - run.begin;
        wholes.push_back({TargetAddr{run.begin}, std::span(bytes).subspan(at, size)});
        at += size;
    }
    read_each(process, wholes);
    for (std::size_t i = 0; i < runs.size(); ++i) {
        for (const std::size_t member : runs[i].members) {
            Piece &piece = pieces[member];
            if (wholes[i].is_read) {
                const auto found = wholes[i].to.subspan(piece.from.value - runs[i].begin);
                std::copy_n(found.begin(), piece.to.size(), piece.to.begin());
                piece.is_read = true;
            } else if (runs[i].members.size() > 1) {
                read_each(process, std::span(&piece, 1));  // what is between may be nowhere
            }
        }
    }
}

#else

void read_pieces(int /*process*/, std::span<Piece> /*pieces*/) {}

#endif

}  // namespace gdb_ompd
