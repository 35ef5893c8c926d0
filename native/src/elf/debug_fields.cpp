// SPDX-License-Identifier: Apache-2.0
#include "elf/debug_fields.hpp"

#include "base/errors.hpp"
#include "elf/elf_file.hpp"

#include <dwarf.h>
#include <elfutils/libdw.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <stdexcept>
#include <unordered_map>

namespace gdb_ompd {

namespace {

constexpr int max_depth = 8;  // of parts without a name, and of base classes
constexpr Dwarf_Word bits = 8;

struct BitPlace {
    Dwarf_Word begin;
    Dwarf_Word size;
    bool is_field_of_bits;
};

std::optional<Dwarf_Word> number(Dwarf_Die &die, unsigned name) {
    Dwarf_Attribute attribute;
    Dwarf_Word value = 0;
    if (dwarf_attr(&die, name, &attribute) == nullptr || dwarf_formudata(&attribute, &value) != 0) {
        return std::nullopt;
    }
    return value;
}

// Call STEP for each of PARENT's children until it returns false.
template <class Step> void for_each_child(Dwarf_Die &parent, Step &&step) {
    Dwarf_Die child;
    if (dwarf_child(&parent, &child) != 0) {
        return;
    }
    Dwarf_Off at = 0;
    do {
        if (dwarf_dieoffset(&child) <= at) {
            return;  // damaged: a sibling lies behind
        }
        at = dwarf_dieoffset(&child);
    } while (step(child) && dwarf_siblingof(&child, &child) == 0);
}

// The types of a file's units by their names, each where it is complete.
class Types {
public:
    Types(Dwarf *dwarf, std::string_view units) {
        Dwarf_CU *unit = nullptr;
        Dwarf_Die die;
        while (dwarf_get_units(dwarf, unit, &unit, nullptr, nullptr, &die, nullptr) == 0) {
            const char *const path = dwarf_diename(&die);
            const std::string_view file = path == nullptr ? "" : path;
            if (path == nullptr || file.substr(file.find_last_of('/') + 1).starts_with(units)) {
                add(die);
            }
        }
    }

    [[nodiscard]] std::optional<std::pair<std::uint64_t, std::size_t>>
    find(const std::string &record, std::string_view field) const {
        auto type = named(record);
        if (!type) {
            return std::nullopt;
        }
        if (field.empty()) {
            const auto size = size_of(*type);
            return size ? std::optional(std::pair(std::uint64_t{0}, *size)) : std::nullopt;
        }
        if (dwarf_tag(&*type) == DW_TAG_enumeration_type) {
            return constant(*type, field);
        }
        const auto place = place_of(*type, field, max_depth);
        if (!place) {
            return std::nullopt;
        }
        const Dwarf_Word unit = place->is_field_of_bits ? 1 : bits;
        return std::pair(place->begin / unit, place->size / unit);
    }

private:
    void add(Dwarf_Die &unit) {
        for_each_child(unit, [this](Dwarf_Die &die) {
            const int tag = dwarf_tag(&die);
            const bool is_alias = tag == DW_TAG_typedef;
            const bool is_record = tag == DW_TAG_structure_type || tag == DW_TAG_class_type ||
                                   tag == DW_TAG_union_type || tag == DW_TAG_enumeration_type;
            const char *const name = is_alias || is_record ? dwarf_diename(&die) : nullptr;
            if (name != nullptr && dwarf_hasattr(&die, DW_AT_declaration) == 0) {
                (is_alias ? aliases_ : records_).try_emplace(name, die);
            }
            return true;
        });
    }

    [[nodiscard]] std::optional<Dwarf_Die> named(const std::string &name) const {
        if (const auto found = records_.find(name); found != records_.end()) {
            return found->second;
        }
        const auto found = aliases_.find(name);
        return found == aliases_.end() ? std::nullopt : complete(found->second);
    }

    // What TYPE is another name of, where it is complete: a unit may only declare it.
    [[nodiscard]] std::optional<Dwarf_Die> complete(Dwarf_Die type) const {
        Dwarf_Die found;
        if (dwarf_peel_type(&type, &found) != 0) {
            return std::nullopt;
        }
        if (dwarf_hasattr(&found, DW_AT_declaration) == 0) {
            return found;
        }
        const char *const name = dwarf_diename(&found);
        const auto known = name == nullptr ? records_.end() : records_.find(name);
        return known == records_.end() ? std::nullopt : std::optional(known->second);
    }

    [[nodiscard]] std::optional<Dwarf_Die> type_of(Dwarf_Die &die) const {
        Dwarf_Attribute attribute;
        Dwarf_Die type;
        if (dwarf_attr(&die, DW_AT_type, &attribute) == nullptr ||
            dwarf_formref_die(&attribute, &type) == nullptr) {
            return std::nullopt;
        }
        return complete(type);
    }

    static std::optional<Dwarf_Word> size_of(Dwarf_Die type) {
        Dwarf_Word size = 0;
        return dwarf_aggregate_size(&type, &size) == 0 ? std::optional(size) : std::nullopt;
    }

    static std::optional<std::pair<std::uint64_t, std::size_t>> constant(Dwarf_Die &type,
                                                                         std::string_view name) {
        std::optional<std::pair<std::uint64_t, std::size_t>> found;
        for_each_child(type, [&](Dwarf_Die &die) {
            const char *const own = dwarf_diename(&die);
            if (own != nullptr && own == name) {
                const auto value = number(die, DW_AT_const_value);
                found = value ? std::optional(std::pair(*value, std::size_t{0})) : std::nullopt;
            }
            return !found;
        });
        return found;
    }

    // A field's place, that of a base class or of a part without a name too.
    [[nodiscard]] std::optional<BitPlace> place_of(Dwarf_Die &record, std::string_view name,
                                                   int depth) const {
        std::optional<BitPlace> found;
        for_each_child(record, [&](Dwarf_Die &die) {
            const bool is_base = dwarf_tag(&die) == DW_TAG_inheritance;
            if (!is_base && dwarf_tag(&die) != DW_TAG_member) {
                return true;
            }
            const char *const own = dwarf_diename(&die);
            auto type = type_of(die);
            if (type && own != nullptr && own == name) {
                found = place_in_record(die, *type);
            } else if (type && (is_base || own == nullptr) && depth > 0) {
                found = place_of(*type, name, depth - 1);
                if (found) {
                    found->begin += bits * number(die, DW_AT_data_member_location).value_or(0);
                }
            }
            return !found;
        });
        return found;
    }

    static std::optional<BitPlace> place_in_record(Dwarf_Die &field, const Dwarf_Die &type) {
        const auto size = size_of(type);
        const Dwarf_Word begin = bits * number(field, DW_AT_data_member_location).value_or(0);
        const auto own_bits = number(field, DW_AT_bit_size);
        if (!own_bits) {
            return size ? std::optional(BitPlace{begin, bits * *size, false}) : std::nullopt;
        }
        if (const auto from_begin = number(field, DW_AT_data_bit_offset)) {
            return BitPlace{*from_begin, *own_bits, true};
        }
        // Before DWARF 4 bits were counted from the most significant one.
        const auto from_end = number(field, DW_AT_bit_offset);
        const auto unit = number(field, DW_AT_byte_size).value_or(size.value_or(0));
        return BitPlace{from_end ? begin + bits * unit - *from_end - *own_bits : begin, *own_bits,
                        true};
    }

    std::unordered_map<std::string, Dwarf_Die> records_;
    std::unordered_map<std::string, Dwarf_Die> aliases_;
};

// The file with the debug information; none if it is another one by now.
std::optional<ElfFile> opened(const ElfImage &image) {
    try {
        std::optional<ElfFile> file(std::in_place, image.debug_path().value_or(image.path()));
        return file->build_id() == image.headers().build_id ? std::move(file) : std::nullopt;
    } catch (const FileError &) {
        return std::nullopt;
    } catch (const std::invalid_argument &) {
        return std::nullopt;
    }
}

}  // namespace

std::map<std::string, std::pair<std::uint64_t, std::size_t>, std::less<>>
debug_fields(const ElfImage &image, std::span<const std::string> names, std::string_view units) {
    std::map<std::string, std::pair<std::uint64_t, std::size_t>, std::less<>> found;
    const auto file = opened(image);
    const std::unique_ptr<Dwarf, decltype(&dwarf_end)> dwarf(
        file ? dwarf_begin_elf(file->elf(), DWARF_C_READ, nullptr) : nullptr, &dwarf_end);
    if (dwarf == nullptr) {
        return found;
    }
    const Types types(dwarf.get(), units);
    for (const std::string &name : names) {
        const std::size_t dot = std::min(name.find('.'), name.size());
        const auto place = types.find(
            name.substr(0, dot), std::string_view(name).substr(std::min(dot + 1, name.size())));
        if (place) {
            found.emplace(name, *place);
        }
    }
    return found;
}

}  // namespace gdb_ompd
