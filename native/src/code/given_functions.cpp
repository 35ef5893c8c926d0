// SPDX-License-Identifier: Apache-2.0
#include "code/given_functions.hpp"

#include "base/errors.hpp"
#include "elf/address_space.hpp"
#include "elf/elf_file.hpp"

#include <algorithm>
#include <cstring>
#include <span>
#include <stdexcept>
#include <vector>

namespace gdb_ompd::code {

namespace {

using Bytes = std::span<const std::byte>;

constexpr std::size_t width = sizeof(std::uint32_t);
// On x86-64, a call and a jump to where a place relative to the instruction's end leads.
constexpr std::uint64_t calls_at_place = 0x15ff;
constexpr std::uint64_t jumps_at_place = 0x25ff;
constexpr std::uint64_t linkage_stub = 16;  // of the linkage table

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
            add_ends({static_cast<const std::byte *>(data->d_buf), data->d_size},
                     module.bias + segment.p_vaddr, function, found);
        }
    }
    return found;
}

bool can_be_searched(const Module *module) {
    return module != nullptr && module->elf->headers().machine == "x86-64";
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

}  // namespace

bool takes_address(const Instruction &instruction, std::uint64_t function) {
    const Memory &memory = instruction.memory;
    return (instruction.operation == Operation::address && memory.base == no_register &&
            memory.index == no_register &&
            static_cast<std::uint64_t>(memory.displacement) == function) ||
           static_cast<std::uint64_t>(instruction.immediate) == function;
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
        for (const Instruction &instruction : code->instructions()) {
            const bool gives = takes_address(instruction, function);
            if (instruction.end() == end && (gives || instruction.target == function)) {
                found.push_back({code->start(), gives});
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
        const auto opcode = functions.space().uint_at(TargetAddr{end - width - 2}, 2);
        if (opcode == calls_at_place) {
            found.push_back(functions.start_of(end - 1));
        } else if (opcode == jumps_at_place) {
            const std::uint64_t stub = (end - 1) & ~(linkage_stub - 1);
            for (const FunctionUse &use : uses_of(functions, stub)) {
                found.push_back(use.start);
            }
            found.push_back(functions.start_of(end - 1));  // unless it is the stub itself
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
