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
// Neighbouring lines are one place for the kernel, up to so many bytes.
constexpr std::size_t longest_run = std::size_t{1} << 16;
constexpr std::size_t most_first = 64;

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

std::byte *PageCache::allocate(std::size_t lines) {
    const std::size_t size = lines * line_size_;
    // NOLINTNEXTLINE(modernize-avoid-c-arrays): see blocks_
    blocks_.push_back(std::unique_ptr<std::byte[]>(new std::byte[size]));  // not cleared
    allocated_ += size;
    return blocks_.back().get();
}

const std::byte *PageCache::line(std::uint64_t base) {
    Kept &recent = recent_[(base / line_size_) % recent_.size()];
    if (recent.bytes == nullptr || recent.base != base) {
        recent = {base, find_line(base)};
    }
    return recent.bytes;
}

const std::byte *PageCache::find_line(std::uint64_t base) {
    if (process_ && !has_first_before_) {
        has_first_before_ = true;
        read_ahead(first_before_);
    }
    const auto found = lines_.find(base);
    if (process_) {
        note_first(base, found == lines_.end());
    }
    if (found != lines_.end()) {
        return found->second;
    }
    return ragged_.contains(base) ? nullptr : fetch_line(base);
}

void PageCache::note_first(std::uint64_t base, bool is_new) {
    const TargetAddr line{base};
    const auto is_in = [line](const std::vector<TargetAddr> &lines) {
        return std::find(lines.begin(), lines.end(), line) != lines.end();
    };
    if (first_.size() < most_first && (is_new || is_in(first_before_)) && !is_in(first_)) {
        first_.push_back(line);
    }
}

const std::byte *PageCache::fetch_line(std::uint64_t base) {
    if (allocated_ + (ragged_.size() + 1) * line_size_ > max_bytes) {
        clear();
    }
    std::byte *const bytes = allocate(1);
    bool whole = false;
    try {
        whole = fetch(TargetAddr{base}, std::span(bytes, line_size_));
    } catch (const MemoryUnreadable &) {
        whole = false;  // the exact range may still be readable, and reports better
    }
    if (!whole) {
        ragged_.insert(base);
        return nullptr;
    }
    return lines_.emplace(base, bytes).first->second;
}

void PageCache::read_ahead(std::span<const TargetAddr> addresses) {
    if (!process_) {
        return;
    }
    std::vector<std::uint64_t> bases;
    for (const TargetAddr address : addresses) {
        const std::uint64_t base = address.value & ~(line_size_ - 1);
        if (!lines_.contains(base) && !ragged_.contains(base)) {
            bases.push_back(base);
        }
    }
    std::sort(bases.begin(), bases.end());
    bases.erase(std::unique(bases.begin(), bases.end()), bases.end());
    const std::size_t room = max_bytes - std::min(max_bytes, allocated_);
    bases.resize(std::min(bases.size(), room / line_size_));
    if (bases.empty()) {
        return;
    }
    std::byte *at = allocate(bases.size());
    std::vector<Piece> runs;
    for (const std::uint64_t base : bases) {
        if (!runs.empty() && runs.back().to.size() < longest_run &&
            runs.back().from.value + runs.back().to.size() == base) {
            runs.back().to = {runs.back().to.data(), runs.back().to.size() + line_size_};
        } else {
            runs.push_back({TargetAddr{base}, {at, line_size_}});
        }
        at += line_size_;
    }
    keep(runs);
}

// Read RUNS of lines, and keep those that can be read.
void PageCache::keep(std::span<Piece> runs) {
    read_pieces(*process_, runs);
    std::vector<Piece> alone;  // the lines of a run of which one cannot be read
    for (const Piece &run : runs) {
        for (std::size_t at = 0; at < run.to.size(); at += line_size_) {
            const std::uint64_t base = run.from.value + at;
            const auto bytes = run.to.subspan(at, line_size_);
            if (run.is_read) {
                lines_.emplace(base, bytes.data());
            } else if (run.to.size() > line_size_) {
                alone.push_back({TargetAddr{base}, bytes});
            }
        }
    }
    if (!alone.empty()) {
        keep(alone);
    }
}

bool PageCache::read(TargetAddr address, std::span<std::byte> out) {
    if (out.size() > max_lines_per_read * line_size_) {
        return fetch(address, out);
    }
    const auto copy_part = [&](std::uint64_t base, std::size_t inside, std::size_t done,
                               std::size_t part) {
        const std::span<std::byte> piece = out.subspan(done, part);
        if (const std::byte *const bytes = line(base)) {
            std::copy_n(bytes + inside, part, piece.begin());
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
                                      found->second + inside);
                      }
                      return true;
                  });
}

void PageCache::forget(TargetAddr address, std::size_t size) {
    for_each_line(address, size, line_size_,
                  [&](std::uint64_t base, std::size_t, std::size_t, std::size_t) {
                      lines_.erase(base);
                      recent_ = {};
                      return true;
                  });
}

void PageCache::clear() noexcept {
    // What was asked for since may be a part only, as of who looks whether there is a runtime.
    const bool has_others = std::ranges::any_of(first_, [this](TargetAddr line) {
        return std::ranges::find(first_before_, line) == first_before_.end();
    });
    if (has_others) {
        first_before_.swap(first_);
    }
    first_.clear();
    has_first_before_ = false;
    recent_ = {};
    lines_.clear();
    ragged_.clear();
    blocks_.clear();
    allocated_ = 0;
}

}  // namespace gdb_ompd
