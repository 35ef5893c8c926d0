// SPDX-License-Identifier: Apache-2.0
#include "elf/address_space.hpp"

#include "base/byte_order.hpp"
#include "base/errors.hpp"
#include "elf/thread_local.hpp"

#include <algorithm>
#include <deque>
#include <stdexcept>

namespace gdb_ompd {

namespace {

// A context's address must never be used again: libompd keeps what it learnt
// under it for ever. So the few bytes of each stay allocated.
ompd_address_space_context_t *new_context(AddressSpace *space) {
    static std::deque<ompd_address_space_context_t> contexts;
    return &contexts.emplace_back(ompd_address_space_context_t{space});
}

}  // namespace

AddressSpace::AddressSpace(std::shared_ptr<Target> target, Layout layout, std::size_t cache_line)
    : AddressSpace(std::make_shared<PageCache>(std::move(target), cache_line), std::move(layout)) {}

AddressSpace::AddressSpace(std::shared_ptr<PageCache> cache, Layout layout)
    : context_(new_context(this)), cache_(std::move(cache)), layout_(std::move(layout)) {
    const auto pointer_size = layout_.type_sizes.sizeof_pointer;
    if (pointer_size != 4 && pointer_size != 8) {
        throw std::invalid_argument("a pointer has 4 or 8 bytes");
    }
}

AddressSpace::~AddressSpace() { context_->space = nullptr; }

std::shared_ptr<AddressSpace> AddressSpace::clone() const {
    std::shared_ptr<AddressSpace> copy(new AddressSpace(cache_, layout_));
    copy->modules_ = modules_;
    copy->home_ = home_;
    copy->home_first_ = home_first_;
    return copy;
}

void AddressSpace::set_modules(Modules modules, const std::optional<std::string> &home) {
    modules_ = std::move(modules);
    home_ = home.value_or("");
    home_first_ = home ? in_search_order(modules_, *home) : modules_;
}

bool AddressSpace::try_read(TargetAddr address, std::span<std::byte> out) {
    if (out.empty()) {
        return true;
    }
    const bool wraps = address.value + (out.size() - 1) < address.value;
    return !wraps && cache_->read(address, out);
}

void AddressSpace::read(TargetAddr address, std::span<std::byte> out) {
    if (!try_read(address, out)) {
        throw OmpdError("read_memory", ompd_rc_error);
    }
}

bool AddressSpace::can_read(TargetAddr address, std::span<std::byte> out) {
    try {
        return try_read(address, out);
    } catch (const MemoryUnreadable &) {
        return false;
    }
}

std::optional<std::uint64_t> AddressSpace::uint_at(TargetAddr address, std::size_t size) {
    std::array<std::byte, sizeof(std::uint64_t)> bytes{};
    const auto used = std::span(bytes).first(std::min(size, bytes.size()));
    return can_read(address, used) ? std::optional(to_uint(used)) : std::nullopt;
}

void AddressSpace::read_exactly(TargetAddr address, std::span<std::byte> out) {
    if (!cache_->read_exactly(address, out)) {
        throw OmpdError("read_memory", ompd_rc_error);
    }
}

std::uint64_t AddressSpace::to_uint(std::span<const std::byte> bytes) const {
    const bool big = layout_.byte_order == std::endian::big;
    std::uint64_t value = 0;
    for (std::size_t i = 0; i < bytes.size(); ++i) {
        value = value << 8U | std::to_integer<std::uint64_t>(bytes[big ? i : bytes.size() - 1 - i]);
    }
    return value;
}

void AddressSpace::print_string(std::string_view text, int category) {
    if (heard_ != nullptr) {
        heard_->append(text);
    } else {
        target().print_string(text, category);
    }
}

void AddressSpace::write(TargetAddr address, std::span<const std::byte> data) {
    if (data.empty()) {
        return;
    }
    if (address.value + (data.size() - 1) < address.value) {
        throw OmpdError("write_memory", ompd_rc_bad_input);
    }
    cache_->write(address, data);
}

std::uint64_t AddressSpace::read_uint(TargetAddr address, std::size_t size) {
    if (size != 1 && size != 2 && size != 4 && size != 8) {
        throw std::invalid_argument("an integer has 1, 2, 4 or 8 bytes");
    }
    std::array<std::byte, 8> bytes{};
    const auto used = std::span(bytes).first(size);
    read(address, used);
    return to_uint(used);
}

TargetAddr AddressSpace::read_pointer(TargetAddr address) {
    return TargetAddr{read_uint(address, layout_.type_sizes.sizeof_pointer)};
}

std::size_t AddressSpace::read_string(TargetAddr address, std::span<std::byte> out) {
    constexpr std::size_t chunk = 64;
    const auto readable = [this](TargetAddr at, std::span<std::byte> piece) {
        try {
            return try_read(at, piece);
        } catch (const MemoryUnreadable &) {
            return false;
        }
    };
    std::size_t done = 0;
    while (done < out.size()) {
        const TargetAddr at = address + done;
        std::span<std::byte> piece =
            out.subspan(done, std::min(out.size() - done, chunk - at.value % chunk));
        if (!readable(at, piece)) {
            piece = piece.first(1);  // the string may end just before memory does
            read(at, piece);
        }
        const auto nul = std::find(piece.begin(), piece.end(), std::byte{0});
        if (nul != piece.end()) {
            return done + static_cast<std::size_t>(nul - piece.begin()) + 1;
        }
        done += piece.size();
    }
    return done;
}

std::optional<TargetAddr>
AddressSpace::symbol_address(std::string_view name, const std::optional<std::string> &file,
                             const std::optional<TargetAddr> &thread_pointer, SearchOrder order) {
    // Of several copies of a runtime the home is the one that its OMPD library asks about.
    const bool is_home = file && !file->empty() && is_copy_of(home_, *file);
    const bool home_first = is_home || order == SearchOrder::home_first;
    const Modules &usual = home_first ? home_first_ : modules_;
    const bool is_named = file && !file->empty() && !is_home;
    const auto found = find_symbol(is_named ? in_search_order(usual, *file) : usual, name);
    if (!found) {
        return std::nullopt;
    }
    const std::uint64_t value = found->symbol.value;
    if (found->symbol.kind != SymbolKind::tls) {
        return TargetAddr{value + found->module->bias};
    }
    if (!thread_pointer) {
        return std::nullopt;
    }
    const auto block = thread_local_block(*this, *found->module, *thread_pointer).address;
    return block ? std::optional(*block + value) : std::nullopt;
}

bool AddressSpace::has_not_used_home(TargetAddr thread_pointer) {
    return !home_.empty() && !home_first_.empty() &&
           thread_local_block(*this, *home_first_.front(), thread_pointer).is_unallocated;
}

std::optional<TargetAddr> AddressSpace::pthread_pointer(std::uint64_t pthread_id) const {
    // The C libraries for x86-64 have the pointer for a pthread_t.
    return layout_.machine == "x86-64" ? std::optional(TargetAddr{pthread_id}) : std::nullopt;
}

ompd_thread_context_t *AddressSpace::thread_context(ompd_thread_id_t kind,
                                                    std::uint64_t thread_id) {
    std::optional<TargetAddr> pointer;
    if (kind == ompd_thread_id_pthread && pthreads_.contains(thread_id)) {
        pointer = pthread_pointer(thread_id);
    }
    if (!pointer) {
        pointer = target().thread_pointer(kind, thread_id);
    }
    if (!pointer) {
        return nullptr;
    }
    ompd_thread_context_t &thread = threads_[{kind, thread_id}];
    known_threads_.insert(&thread);
    thread.thread_pointer = pointer;  // the system may have given the id to a new thread
    return &thread;
}

}  // namespace gdb_ompd
