// SPDX-License-Identifier: Apache-2.0
#include "base/page_cache.hpp"

#include "base/errors.hpp"
#include "base/kernel_memory.hpp"

#include <algorithm>
#include <bit>
#include <stdexcept>

namespace gdb_ompd {

namespace {

constexpr std::size_t min_line = 16;
constexpr std::size_t max_line = std::size_t{1} << 20;
// A bigger read gains nothing from lines and would push the useful ones out.
constexpr std::size_t max_lines_per_read = 16;

// Call STEP(line base, offset in the line, part's offset in the range, part's size)
// for each line that a range touches, until it returns false.
template <class Step>
bool for_each_line(TargetAddr address, std::size_t size, std::size_t line_size, Step &&step) {
    std::size_t done = 0;
    while (done < size) {
        const std::uint64_t at = address.value + done;
        const std::size_t inside = at & (line_size - 1);
        const std::size_t part = std::min(size - done, line_size - inside);
        if (!step(at - inside, inside, done, part)) {
            return false;
        }
        done += part;
    }
    return true;
}

}  // namespace

PageCache::PageCache(std::shared_ptr<Target> target, std::size_t line_size)
    : target_(std::move(target)), line_size_(line_size) {
    if (!std::has_single_bit(line_size) || line_size < min_line || line_size > max_line) {
        throw std::invalid_argument("cache_line must be a power of two from 16 to 1048576");
    }
}

bool PageCache::fetch(TargetAddr address, std::span<std::byte> out) {
    if (process_) {
        Piece piece{address, out};
        read_pieces(*process_, std::span(&piece, 1));
        if (piece.is_read) {
            return true;
        }
    }
    ++target_reads_;
    return target_->read_memory(address, out);
}

const PageCache::Line *PageCache::line(std::uint64_t base) {
    if (const auto found = lines_.find(base); found != lines_.end()) {
        return &found->second;
    }
    if (ragged_.contains(base)) {
        return nullptr;
    }
    if ((lines_.size() + ragged_.size() + 1) * line_size_ > max_bytes) {
        clear();
    }
    Line bytes(line_size_);
    bool whole = false;
    try {
        whole = fetch(TargetAddr{base}, bytes);
    } catch (const MemoryUnreadable &) {
        whole = false;  // the exact range may still be readable, and reports better
    }
    if (!whole) {
        ragged_.insert(base);
        return nullptr;
    }
    return &lines_.emplace(base, std::move(bytes)).first->second;
}

void PageCache::read_ahead(std::span<const TargetAddr> addresses) {
    if (!process_) {
        return;
    }
    std::unordered_map<std::uint64_t, Line> ahead;
    std::vector<Piece> pieces;
    for (const TargetAddr address : addresses) {
        const std::uint64_t base = address.value & ~(line_size_ - 1);
        if ((lines_.size() + ahead.size() + 1) * line_size_ > max_bytes) {
            break;
        }
        if (lines_.contains(base) || ragged_.contains(base)) {
            continue;
        }
        if (const auto [made, is_new] = ahead.try_emplace(base, line_size_); is_new) {
            pieces.push_back({TargetAddr{base}, made->second});
        }
    }
    read_pieces(*process_, pieces);
    for (const Piece &piece : pieces) {
        if (piece.is_read) {
            lines_.insert(ahead.extract(piece.from.value));
        }
    }
}

bool PageCache::read(TargetAddr address, std::span<std::byte> out) {
    if (out.size() > max_lines_per_read * line_size_) {
        return fetch(address, out);
    }
    const auto copy_part = [&](std::uint64_t base, std::size_t inside, std::size_t done,
                               std::size_t part) {
        const std::span<std::byte> piece = out.subspan(done, part);
        if (const Line *bytes = line(base)) {
            std::copy_n(bytes->begin() + static_cast<std::ptrdiff_t>(inside), part, piece.begin());
            return true;
        }
        return fetch(TargetAddr{base + inside}, piece);
    };
    return for_each_line(address, out.size(), line_size_, copy_part);
}

bool PageCache::read_exactly(TargetAddr address, std::span<std::byte> out) {
    const std::uint64_t mask = line_size_ - 1;
    const bool kept = lines_.contains(address.value & ~mask) &&
                      lines_.contains((address.value + out.size() - 1) & ~mask);
    return kept ? read(address, out) : fetch(address, out);
}

void PageCache::write(TargetAddr address, std::span<const std::byte> data) {
    try {
        target_->write_memory(address, data);
    } catch (...) {
        forget(address, data.size());  // some of it may have been written
        throw;
    }
    patch(address, data);
}

void PageCache::patch(TargetAddr address, std::span<const std::byte> data) {
    for_each_line(address, data.size(), line_size_,
                  [&](std::uint64_t base, std::size_t inside, std::size_t done, std::size_t part) {
                      if (const auto found = lines_.find(base); found != lines_.end()) {
                          std::copy_n(data.begin() + static_cast<std::ptrdiff_t>(done), part,
                                      found->second.begin() + static_cast<std::ptrdiff_t>(inside));
                      }
                      return true;
                  });
}

void PageCache::forget(TargetAddr address, std::size_t size) {
    for_each_line(address, size, line_size_,
                  [&](std::uint64_t base, std::size_t, std::size_t, std::size_t) {
                      lines_.erase(base);
                      return true;
                  });
}

void PageCache::clear() noexcept {
    lines_.clear();
    ragged_.clear();
}

}  // namespace gdb_ompd
