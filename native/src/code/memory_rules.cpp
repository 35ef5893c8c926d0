// SPDX-License-Identifier: Apache-2.0
#include "code/memory_rules.hpp"

#include "base/target.hpp"

#include <algorithm>
#include <functional>

namespace gdb_ompd::code {

namespace {

constexpr std::size_t most_slots = 256;

}  // namespace

Term MemoryRules::load(Slots &slots, std::size_t at, Term address, unsigned width) const {
    const auto place = std::ranges::lower_bound(slots, address, std::less<>(), &Slot::address);
    const bool is_known = place != slots.end() && place->address == address;
    if (is_known && place->width >= width) {
        return terms_.part(place->value, width, false);
    }
    const Term found = terms_.loaded(at, address, width);
    if (!is_known && width <= pointer_size && slots.size() < most_slots) {
        slots.insert(place, {address, static_cast<std::uint8_t>(width), found});
    }
    return found;
}

void MemoryRules::store(Slots &slots, Term address, unsigned width, std::optional<Term> value) {
    forget(slots, address, width);
    if (!value || width > pointer_size) {
        return;
    }
    give_away(*value);
    if (slots.size() < most_slots) {
        const auto place = std::ranges::lower_bound(slots, address, std::less<>(), &Slot::address);
        slots.insert(place, {address, static_cast<std::uint8_t>(width), *value});
    }
}

void MemoryRules::forget(Slots &slots, Term address, std::uint64_t width) const {
    std::erase_if(slots, [&](const Slot &one) {
        return (address.base == one.address.base || !is_saved_register(one)) &&
               overlaps(address, width, one.address, one.width);
    });
}

void MemoryRules::forget_shared(Slots &slots) const {
    std::erase_if(slots, [this](const Slot &one) {
        return !is_stack(one.address) || (is_reached(one.address) && !is_saved_register(one));
    });
}

bool MemoryRules::is_saved_register(const Slot &slot) const {
    const Node held = terms_.node(slot.value.base);
    return held.kind == Node::Kind::entry && slot.value.offset == 0 &&
           (preserved_ & bit_of(held.register_number)) != 0 && is_stack(slot.address);
}

void MemoryRules::give_away(Term value) {
    if (is_stack(value)) {
        given_away_.insert(value);
    }
}

bool MemoryRules::is_shared(Term address) const {
    return !is_stack(address) || given_away_.contains(address);
}

bool MemoryRules::overlaps(Term address, std::uint64_t width, Term other,
                           std::uint64_t others) const {
    if (address.base == other.base) {
        const auto behind = static_cast<std::int64_t>(other.offset - address.offset);
        return behind < static_cast<std::int64_t>(width) &&
               behind > -static_cast<std::int64_t>(others);
    }
    const bool is_own = is_stack(address);
    return is_own == is_stack(other) || is_reached(is_own ? address : other);
}

// Offsets are signed: a function's variables are below where its stack began.
bool MemoryRules::is_reached(Term address) const {
    return std::any_of(given_away_.lower_bound({address.base, 0}),
                       given_away_.upper_bound({address.base, ~std::uint64_t{0}}), [&](Term one) {
                           return static_cast<std::int64_t>(one.offset) <=
                                  static_cast<std::int64_t>(address.offset);
                       });
}

}  // namespace gdb_ompd::code
