// SPDX-License-Identifier: Apache-2.0
#include "imagined.hpp"

#include <algorithm>

namespace libgompd {

namespace {

// Where no program has memory. Each object is in the middle of a room of its own, and the
// lower halves of their addresses differ, too.
constexpr std::uint64_t region = 0x4000'0000'0000'0000;
constexpr std::uint64_t room = 0x100'0000;
constexpr std::uint64_t max_objects = 64;
constexpr std::uint64_t stack_room = 62;
constexpr std::uint64_t results_room = 63;

constexpr std::uint64_t base_of(std::uint64_t object) { return region + object * room + room / 2; }

constexpr std::uint64_t result_place(int which) {
    return base_of(results_room) + (which == 0 ? 0 : 64);
}

constexpr bool is_imagined(std::uint64_t address) {
    return address >= region && address < region + max_objects * room;
}

}  // namespace

std::optional<std::uint64_t> ImaginedThread::load(std::uint64_t address, std::size_t size) {
    for (std::size_t i = store_count_; i-- > 0;) {
        if (stores_[i].where == address) {
            return stores_[i].size == size ? std::optional(stores_[i].value) : std::nullopt;
        }
    }
    return is_imagined(address) ? load_imagined(address, size) : load_variable(address, size);
}

std::optional<std::uint64_t> ImaginedThread::load_imagined(std::uint64_t address,
                                                           std::size_t size) {
    const auto object = static_cast<std::size_t>((address - region) / room);
    const auto offset = static_cast<std::int64_t>(address - base_of(object));
    if (object >= object_count_) {
        return std::nullopt;
    }
    // By the ABI of thread-local storage on x86-64 the thread control block begins with its
    // own address.
    if (object == 0 && offset == 0 && size == 8 && target_.machine() == Machine::x86_64) {
        return base_of(0);
    }
    if (object == 0 && planted_ && planted_->first == offset) {
        return planted_->second;
    }
    for (const Slot &slot : std::span(slots_.data(), slot_count_)) {
        if (slot.object == object && slot.offset == offset) {
            return slot.size == size ? std::optional(slot.value) : std::nullopt;
        }
    }
    if (slot_count_ == slots_.size() || (size == 8 && object_count_ == stack_room)) {
        return std::nullopt;
    }
    // Small and positive in whichever size, and no pointer's lower half.
    const std::uint64_t number = size == 1 ? 0x11 + slot_count_ : 0x1001 + slot_count_;
    const std::uint64_t value = size == 8 ? base_of(object_count_++) : number;
    slots_[slot_count_++] = {object, offset, size, value};
    return value;
}

std::optional<std::uint64_t> ImaginedThread::load_variable(std::uint64_t address,
                                                           std::size_t size) {
    Bytes<8> found;
    if (variable_count_ == variables_.size() ||
        !target_.can_read(address, found.raw.data(), size)) {
        return std::nullopt;
    }
    const bool is_replaced = replaced_ && replaced_->first == address;
    const std::uint64_t value = is_replaced ? replaced_->second : found.number(0, size);
    variables_[variable_count_++] = {address, value, size};
    return value;
}

bool ImaginedThread::store(std::uint64_t address, std::size_t size, std::uint64_t value) {
    const bool is_ours = address - base_of(stack_room) + room / 2 < 2 * room;
    if (!is_ours || store_count_ == stores_.size()) {
        return false;
    }
    stores_[store_count_++] = {address, value, size};
    return true;
}

Ending ImaginedThread::call(Entry entry) {
    entry.thread_pointer = base_of(0);
    entry.stack = base_of(stack_room);
    return target_.interpret(entry, *this);
}

Ending ImaginedThread::call_for_results(std::uint64_t function) {
    return call({.function = function, .first = result_place(0), .second = result_place(1)});
}

std::optional<std::uint64_t> ImaginedThread::stored(int which) const {
    const std::uint64_t where = result_place(which);
    for (std::size_t i = store_count_; i-- > 0;) {
        if (stores_[i].where == where) {
            return stores_[i].value;
        }
    }
    return std::nullopt;
}

Path ImaginedThread::path_to(const Slot &slot) const {
    Path path;
    path.size = slot.size;
    const Slot *each = &slot;
    std::array<std::int64_t, 4> reversed{};
    while (path.depth < reversed.size()) {
        reversed[path.depth++] = each->offset;
        if (each->object == 0) {
            break;
        }
        const std::uint64_t base = base_of(each->object);
        each = &*std::find_if(slots_.begin(), slots_.end(),
                              [&](const Slot &from) { return from.value == base; });
    }
    std::reverse_copy(reversed.begin(), reversed.begin() + static_cast<std::ptrdiff_t>(path.depth),
                      path.offsets.begin());
    return path;
}

std::optional<Path> ImaginedThread::path_of(std::uint64_t value) const {
    for (std::size_t i = 0; i < slot_count_; ++i) {
        const std::uint64_t own = slots_[i].value;
        if (own == value || (own & 0xffff'ffff) == value) {
            return path_to(slots_[i]);
        }
    }
    return std::nullopt;
}

std::optional<std::int64_t> ImaginedThread::distance(std::uint64_t address) {
    if (address < region || address >= region + room) {
        return std::nullopt;
    }
    return static_cast<std::int64_t>(address - base_of(0));
}

Path ImaginedThread::last_loaded() const {
    return slot_count_ == 0 ? Path{} : path_to(slots_[slot_count_ - 1]);
}

bool ImaginedThread::was_loaded(const Path &path) const {
    return std::any_of(slots_.begin(), slots_.begin() + static_cast<std::ptrdiff_t>(slot_count_),
                       [&](const Slot &slot) { return path_to(slot) == path; });
}

}  // namespace libgompd
