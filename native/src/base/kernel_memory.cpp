// SPDX-License-Identifier: Apache-2.0
#include "base/kernel_memory.hpp"

#if defined(__linux__)
#include <algorithm>
#include <cerrno>
#include <sys/uio.h>
#include <vector>
#endif

namespace gdb_ompd {

#if defined(__linux__)

namespace {

constexpr std::size_t at_once = 256;  // the kernel takes 1024

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

}  // namespace

void read_pieces(int process, std::span<Piece> pieces) {
    bool given_up = false;
    while (!pieces.empty() && !given_up) {
        const auto batch = pieces.first(std::min(at_once, pieces.size()));
        const std::size_t whole = read_batch(process, batch, given_up);
        // The one that could not be read is passed over.
        pieces = pieces.subspan(std::min(whole + (whole < batch.size() ? 1 : 0), pieces.size()));
    }
}

#else

void read_pieces(int /*process*/, std::span<Piece> /*pieces*/) {}

#endif

}  // namespace gdb_ompd
