// SPDX-License-Identifier: Apache-2.0
#include "recovery/ompd_init.hpp"

#include "base/target.hpp"
#include "recovery/meta_symbols.hpp"

#include <algorithm>
#include <set>
#include <span>
#include <unordered_map>

namespace gdb_ompd::recovery {

namespace {

constexpr std::uint64_t largest_constant = 0xffffffff;  // the widest is a 32-bit mask
using namespace std::string_view_literals;
constexpr auto event_setting = "OMP_DEBUG\0"sv;
constexpr auto event_message = "OMP_OMPD active\n\0"sv;

bool takes_address_of(const std::vector<code::Effect> &effects,
                      const std::vector<std::uint64_t> &places) {
    return std::any_of(effects.begin(), effects.end(), [&](const code::Effect &effect) {
        return effect.kind == code::Effect::Kind::takes_address &&
               std::find(places.begin(), places.end(), effect.address) != places.end();
    });
}

// The one function that knows both the setting's name and the message that says
// that events are on.
std::optional<code::FunctionNumber> find_function(const code::CodeIndex &code, Findings &findings) {
    const auto messages = code.image().find(event_message);
    std::set<code::FunctionNumber> candidates;
    for (const std::uint64_t place : code.image().find(event_setting)) {
        const auto &users = code.users(place);
        candidates.insert(users.begin(), users.end());
    }
    std::vector<code::FunctionNumber> found;
    for (const code::FunctionNumber candidate : candidates) {
        if (takes_address_of(code.whole_effects(candidate), messages)) {
            found.push_back(candidate);
        }
    }
    if (found.size() != 1) {
        findings.refuse(std::to_string(found.size()) + " functions look like ompd_init()");
        return std::nullopt;
    }
    return found.front();
}

// The variables in the order of their first stores, and the constants in them.
struct StoredConstants {
    std::vector<std::uint64_t> order;
    std::unordered_map<std::uint64_t, std::uint64_t> values;
    std::size_t after = 0;
};

bool stores_constant(const code::Effect &effect) {
    if (effect.width != pointer_size || !effect.value) {
        return false;
    }
    return (effect.kind == code::Effect::Kind::store && *effect.value <= largest_constant) ||
           (effect.kind == code::Effect::Kind::store_and && *effect.value == 0);
}

StoredConstants read_constants(const std::vector<code::Effect> &effects, const code::Image &image) {
    StoredConstants constants;
    for (std::size_t i = 0; i < effects.size(); ++i) {
        const code::Effect &effect = effects[i];
        if (!stores_constant(effect) || !image.is_writable(effect.address)) {
            continue;
        }
        if (constants.values.insert_or_assign(effect.address, *effect.value).second) {
            constants.order.push_back(effect.address);
        }
        constants.after = i + 1;
    }
    return constants;
}

// Masks of bit fields that the compiler did not fold: a 1 goes into a part of a
// variable that was cleared before.
void apply_partial_stores(StoredConstants &constants, const std::vector<code::Effect> &effects) {
    for (const code::Effect &effect : effects) {
        const bool combines = effect.kind == code::Effect::Kind::store_or;
        const bool replaces =
            effect.kind == code::Effect::Kind::store && effect.width < pointer_size;
        if (!effect.value || !(combines || replaces)) {
            continue;
        }
        const bool own = constants.values.contains(effect.address);
        for (unsigned offset = 0; offset < pointer_size && (offset == 0 || !own); ++offset) {
            const auto place = constants.values.find(effect.address - offset);
            if (place == constants.values.end()) {
                continue;
            }
            const std::uint64_t mask = effect.width >= pointer_size
                                           ? ~std::uint64_t{0}
                                           : (std::uint64_t{1} << (8U * effect.width)) - 1;
            if (replaces) {
                place->second &= ~(mask << 8U * offset);
            }
            place->second |= (*effect.value & mask) << 8U * offset;
            break;
        }
    }
}

using Naming = std::unordered_map<std::uint64_t, std::string_view>;

template <class Addresses>
Naming name_all(const Addresses &addresses, std::span<const std::string_view> names) {
    Naming naming;
    std::size_t number = 0;
    for (const std::uint64_t address : addresses) {
        naming.emplace(address, names[number++]);
    }
    return naming;
}

// How many stores the compiler left in their order: the longest part of them
// whose names, by the variables' order in memory, are in the order of the source.
std::size_t unmoved(const std::vector<std::uint64_t> &stores, const Naming &by_memory) {
    std::vector<std::ptrdiff_t> ends;  // of the parts of each length, the lowest place
    for (const std::uint64_t address : stores) {
        const auto place = std::find(stores_in_ompd_init.begin(), stores_in_ompd_init.end(),
                                     by_memory.at(address)) -
                           stores_in_ompd_init.begin();
        const auto end = std::lower_bound(ends.begin(), ends.end(), place);
        if (end == ends.end()) {
            ends.push_back(place);
        } else {
            *end = place;
        }
    }
    return ends.size();
}

// Whether the names by the variables' order in memory agree with those by the
// order of the stores. Where compilers move stores, twice as many must be in
// order as chance would leave, and the variables must lie side by side.
bool agree(const Naming &by_memory, const std::vector<std::uint64_t> &stores,
           bool stores_are_moved) {
    constexpr std::size_t fewest = 50;  // a random order of 145 leaves about 24
    const std::size_t in_order = unmoved(stores, by_memory);
    if (!stores_are_moved) {
        return in_order == stores.size();
    }
    const auto [first, last] = std::minmax_element(stores.begin(), stores.end());
    return in_order >= fewest && *last - *first == (stores.size() - 1) * pointer_size;
}

// Upwards from clang, downwards from GCC.
std::optional<Naming> name_variables(const StoredConstants &constants, bool stores_are_moved,
                                     bool &ascending) {
    std::vector<std::uint64_t> sorted = constants.order;
    std::sort(sorted.begin(), sorted.end());
    const Naming upwards = name_all(sorted, definitions_in_memory);
    const Naming downwards =
        name_all(std::vector(sorted.rbegin(), sorted.rend()), definitions_in_memory);
    ascending = agree(upwards, constants.order, stores_are_moved);
    if (ascending) {
        return upwards;
    }
    return agree(downwards, constants.order, stores_are_moved) ? std::optional(downwards)
                                                               : std::nullopt;
}

}  // namespace

bool has_ompd_support(const code::Image &image) { return !image.find(event_message).empty(); }

std::optional<OmpdInit> find_layout_variables(const code::CodeIndex &code, Findings &findings) {
    const auto function = find_function(code, findings);
    if (!function) {
        return std::nullopt;
    }
    OmpdInit init;
    init.function = *function;
    init.effects = code.whole_effects(*function);
    StoredConstants constants = read_constants(init.effects, code.image());
    apply_partial_stores(constants, init.effects);
    init.after_constants = constants.after;

    if (constants.order.size() != stores_in_ompd_init.size()) {
        findings.refuse("ompd_init() stores " + std::to_string(constants.order.size()) +
                        " constants, not " + std::to_string(stores_in_ompd_init.size()));
        return std::nullopt;
    }
    const auto names =
        name_variables(constants, code.architecture().stores_are_moved(), init.ascending);
    if (!names) {
        findings.refuse("the order of the stores in ompd_init() and the order of the variables"
                        " in memory give different names");
        return std::nullopt;
    }
    for (const auto &[address, name] : *names) {
        findings.found(std::string(name), address, SymbolKind::data, "the stores of ompd_init()");
        init.constants.emplace(name, constants.values.at(address));
    }
    return init;
}

}  // namespace gdb_ompd::recovery
