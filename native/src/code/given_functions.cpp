// SPDX-License-Identifier: Apache-2.0
#include "code/given_functions.hpp"

#include "base/errors.hpp"
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

bool takes_address(const Instruction &instruction, std::uint64_t function) {
    const Memory &memory = instruction.memory;
    return (instruction.operation == Operation::address && memory.base == no_register &&
            memory.index == no_register &&
            static_cast<std::uint64_t>(memory.displacement) == function) ||
           static_cast<std::uint64_t>(instruction.immediate) == function;
}

// What the code of one other function does with FUNCTION.
struct Use {
    std::uint64_t start = 0;
    bool gives = false;
};

std::vector<Use> uses_of(FunctionReader &functions, const Module &module, std::uint64_t function) {
    std::vector<Use> found;
    for (const std::uint64_t end : possible_ends(module, function)) {
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

}  // namespace

std::optional<std::uint64_t> only_giver_of(FunctionReader &functions, std::uint64_t function) {
    const Module *const module = functions.module_at(function);
    if (module == nullptr || module->elf->headers().machine != "x86-64") {
        return std::nullopt;
    }
    try {
        const auto uses = uses_of(functions, *module, function);
        const auto giver = std::ranges::find_if(uses, &Use::gives);
        const bool is_only = std::ranges::all_of(
            uses, [&](const Use &use) { return use.start == uses.front().start; });
        return giver != uses.end() && is_only ? std::optional(giver->start) : std::nullopt;
    } catch (const FileError &) {
        return std::nullopt;
    } catch (const std::invalid_argument &) {
        return std::nullopt;  // the file is another one now
    }
}

}  // namespace gdb_ompd::code
