// SPDX-License-Identifier: Apache-2.0
#include "code/given_functions.hpp"

#include "base/errors.hpp"
#include "elf/address_space.hpp"
#include "elf/elf_file.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>
#include <span>
#include <stdexcept>
#include <vector>

namespace gdb_ompd::code {

namespace {

using Bytes = std::span<const std::byte>;

constexpr std::size_t width = sizeof(std::uint32_t);

bool has_words(const Module &module) { return module.elf->headers().machine == "aarch64"; }

bool can_be_searched(const Module *module) {
    return module != nullptr && (module->elf->headers().machine == "x86-64" || has_words(*module));
}

// On x86-64, a call and a jump to where a place relative to the instruction's end leads.
constexpr std::uint64_t calls_at_place = 0x15ff;
constexpr std::uint64_t jumps_at_place = 0x25ff;
constexpr std::uint64_t linkage_stub = 16;  // of the linkage table
// What puts a number of eight bytes into a register that its lower bits tell.
constexpr std::byte loads_number{0xb8};

// On aarch64, the jump of a stub, and what it may begin with.
constexpr std::uint64_t jumps_from_stub = 0xd61f0220;  // br x17
constexpr std::uint64_t marks_target = 0xd503245f;     // bti c

// Where in CODE, which is mapped at START, four bytes end that are FUNCTION's address, or how far
// it is from there: on x86-64 an operand that ends the instruction.
void add_ends(Bytes code, std::uint64_t start, std::uint64_t function,
              std::vector<std::uint64_t> &found) {
    for (std::size_t at = 0; at + width <= code.size(); ++at) {
        std::int32_t value = 0;
        std::memcpy(&value, code.data() + at, width);
        const std::uint64_t end = start + at + width;
        if (end + static_cast<std::uint64_t>(std::int64_t{value}) == function ||
            static_cast<std::uint32_t>(value) == function) {
            found.push_back(end);
        }
    }
}

// The same of eight bytes, where code may be large.
void add_ends_of_numbers(Bytes code, std::uint64_t start, std::uint64_t number,
                         std::vector<std::uint64_t> &found) {
    for (std::size_t at = 2; at + sizeof number <= code.size(); ++at) {
        if (std::memcmp(code.data() + at, &number, sizeof number) == 0 &&
            (code[at - 1] & std::byte{0xf8}) == loads_number) {
            found.push_back(start + at + sizeof number);
        }
    }
}

// How far ADDRESS is from the table from which the code of MODULE counts if it may be anywhere.
std::uint64_t distance_of(const Module &module, std::uint64_t address) {
    return address - module.bias - module.elf->headers().global_offsets.value_or(0);
}

std::int64_t with_sign(std::uint64_t value, unsigned bits) {
    const std::uint64_t sign = std::uint64_t{1} << (bits - 1);
    return static_cast<std::int64_t>((value & ((sign << 1U) - 1)) ^ sign) -
           static_cast<std::int64_t>(sign);
}

// What aarch64's instructions name: where they lead, or a place in a page that a register was set
// to last in the code before them.
class NamedPlaces {
public:
    // The place that the instruction WORD at ADDRESS names, if any.
    std::optional<std::uint64_t> next(std::uint32_t word, std::uint64_t address) {
        const unsigned to = word & 31U;
        const unsigned from = (word >> 5U) & 31U;
        const std::uint64_t inside = (word >> 10U) & 0xfffU;
        if ((word & 0x7c000000U) == 0x14000000U) {  // b, bl
            return address + static_cast<std::uint64_t>(with_sign(word, 26) * 4);
        }
        if ((word & 0x1f000000U) == 0x10000000U) {  // adr, adrp
            const std::uint64_t parts = ((word >> 3U) & 0x1ffffcU) | ((word >> 29U) & 3U);
            const std::int64_t distance = with_sign(parts, 21);
            if ((word >> 31U) == 0) {
                return address + static_cast<std::uint64_t>(distance);
            }
            pages_.at(to) = (address & ~0xfffULL) + static_cast<std::uint64_t>(distance * 4096);
            return std::nullopt;
        }
        if ((word & 0xffc00000U) == 0x91000000U) {  // add
            return place(from, inside);
        }
        return (word & 0xffc00000U) == 0xf9400000U ? place(from, inside * 8) : std::nullopt;  // ldr
    }

private:
    [[nodiscard]] std::optional<std::uint64_t> place(unsigned from, std::uint64_t inside) const {
        const auto page = pages_.at(from);
        return page ? std::optional(*page + inside) : std::nullopt;
    }

    std::array<std::optional<std::uint64_t>, 32> pages_;
};

void add_ends_of_words(Bytes code, std::uint64_t start, std::uint64_t named,
                       std::vector<std::uint64_t> &found) {
    NamedPlaces places;
    for (std::size_t at = 0; at + width <= code.size(); at += width) {
        std::uint32_t word = 0;
        std::memcpy(&word, code.data() + at, width);
        if (places.next(word, start + at) == named) {
            found.push_back(start + at + width);
        }
    }
}

std::vector<std::uint64_t> possible_ends(const Module &module, std::uint64_t function) {
    std::vector<std::uint64_t> found;
    const ElfFile file(module.elf->path());
    for (const GElf_Phdr &segment : file.segments()) {
        if (segment.p_type != PT_LOAD || (segment.p_flags & PF_X) == 0) {
            continue;
        }
        const Elf_Data *const data = elf_getdata_rawchunk(
            file.elf(), static_cast<std::int64_t>(segment.p_offset), segment.p_filesz, ELF_T_BYTE);
        if (data != nullptr && data->d_buf != nullptr) {
            const Bytes code{static_cast<const std::byte *>(data->d_buf), data->d_size};
            const std::uint64_t start = module.bias + segment.p_vaddr;
            const auto add = has_words(module) ? add_ends_of_words : add_ends;
            add(code, start, function, found);
            if (!has_words(module)) {
                add_ends_of_numbers(code, start, function, found);
                add_ends_of_numbers(code, start, distance_of(module, function), found);
            }
        }
    }
    return found;
}

std::vector<std::uint64_t> ends_in(const Module &module, std::uint64_t address) {
    try {
        return possible_ends(module, address);
    } catch (const FileError &) {
        return {};
    } catch (const std::invalid_argument &) {
        return {};  // the file is another one now
    }
}

std::optional<std::uint64_t> opcode_before(FunctionReader &functions, std::uint64_t end) {
    return functions.space().uint_at(TargetAddr{end - width - 2}, 2);
}

bool is_in_stub(FunctionReader &functions, const Module &module, std::uint64_t end) {
    return has_words(module)
               ? functions.space().uint_at(TargetAddr{end + width}, width) == jumps_from_stub
               : opcode_before(functions, end) == jumps_at_place;
}

bool is_number(FunctionReader &functions, std::uint64_t end) {
    const auto opcode = functions.space().uint_at(TargetAddr{end - 2 * width - 1}, 1);
    return opcode && (std::byte(*opcode) & std::byte{0xf8}) == loads_number;
}

// On aarch64 it begins with the page of what it loads, or with a mark that it is jumped to.
std::uint64_t stub_around(FunctionReader &functions, const Module &module, std::uint64_t end) {
    if (!has_words(module)) {
        return (end - 1) & ~(linkage_stub - 1);
    }
    const std::uint64_t mark = end - 3 * width;
    return functions.space().uint_at(TargetAddr{mark}, width) == marks_target ? mark : mark + width;
}

// Whether CODE has an address in a register in order to call what is there.
bool calls_through_register(const FunctionCode &code, std::uint64_t function) {
    return std::ranges::any_of(code.instructions(), [&](const Instruction &one) {
        return (one.is_call() || one.is_jump()) && one.target == function &&
               one.source != no_register;
    });
}

}  // namespace

bool takes_address(const Module &module, const FunctionCode &code, std::size_t index,
                   std::uint64_t function) {
    const auto number = static_cast<std::uint64_t>(code.at(index).immediate);
    return code.named_address(index) == function || number == function ||
           number == distance_of(module, function);
}

std::vector<FunctionUse> uses_of(FunctionReader &functions, std::uint64_t function) {
    std::vector<FunctionUse> found;
    const Module *const module = functions.module_at(function);
    if (!can_be_searched(module)) {
        return found;
    }
    for (const std::uint64_t end : ends_in(*module, function)) {
        const FunctionCode *const code = functions.function(end - 1);
        if (code == nullptr || code->start() == function) {
            continue;
        }
        for (std::size_t index = 0; index < code->instructions().size(); ++index) {
            const bool gives = takes_address(*module, *code, index, function);
            if (code->at(index).end() == end && (gives || code->at(index).target == function)) {
                found.push_back({code->start(), gives && !calls_through_register(*code, function)});
            }
        }
    }
    return found;
}

std::vector<std::uint64_t> callers_through(FunctionReader &functions, const Module &module,
                                           std::uint64_t place) {
    std::vector<std::uint64_t> found;
    if (!can_be_searched(&module)) {
        return found;
    }
    for (const std::uint64_t end : ends_in(module, place)) {
        if (is_in_stub(functions, module, end)) {
            for (const FunctionUse &use : uses_of(functions, stub_around(functions, module, end))) {
                found.push_back(use.start);
            }
            found.push_back(functions.start_of(end - 1));  // unless it is the stub itself
        } else if (has_words(module) || opcode_before(functions, end) == calls_at_place ||
                   is_number(functions, end)) {
            found.push_back(functions.start_of(end - 1));
        }
    }
    std::erase(found, 0);
    return found;
}

std::optional<std::uint64_t> only_giver_of(FunctionReader &functions, std::uint64_t function) {
    const auto uses = uses_of(functions, function);
    const auto giver = std::ranges::find_if(uses, &FunctionUse::gives);
    const bool is_only = std::ranges::all_of(
        uses, [&](const FunctionUse &use) { return use.start == uses.front().start; });
    return giver != uses.end() && is_only ? std::optional(giver->start) : std::nullopt;
}

}  // namespace gdb_ompd::code
