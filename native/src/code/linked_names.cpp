// SPDX-License-Identifier: Apache-2.0
#include "code/linked_names.hpp"

#include "base/errors.hpp"
#include "code/image.hpp"
#include "elf/address_space.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>
#include <vector>

namespace gdb_ompd::code {

const LinkedNames::Names &LinkedNames::in(const Module &module) {
    const auto [place, is_new] = names_.try_emplace(&module);
    if (is_new && functions_.architecture() != nullptr) {
        try {
            const auto &types = functions_.architecture()->relocations();
            for (auto &[at, name] : imports_of(ElfFile(module.elf->path()), types)) {
                place->second.emplace(module.bias + at, std::move(name));
            }
        } catch (const FileError &) {
            place->second.clear();
        } catch (const std::invalid_argument &) {
            place->second.clear();  // the file is another one now
        }
    }
    return place->second;
}

std::string LinkedNames::unbound(const Instruction &call, std::uint64_t destination) {
    const Module *const module = functions_.module_at(destination);
    if (module == nullptr) {
        return {};
    }
    const auto [known, is_new] = unbound_.try_emplace(module);
    if (is_new) {
        for (const auto &[at, name] : in(*module)) {
            const auto leads_to = functions_.space().uint_at(TargetAddr{at}, pointer_size);
            if (leads_to && functions_.module_at(*leads_to) == module) {
                known->second.emplace(*leads_to, name);
            }
        }
    }
    const auto place = place_of_stub(call.target);
    const Names &names = place ? in(*module) : known->second;
    const auto found = names.find(place.value_or(destination));
    return found == names.end() ? std::string() : found->second;
}

// All of aarch64's lead to one place until they are bound. Each works out where the address is that
// it jumps to.
std::optional<std::uint64_t> LinkedNames::place_of_stub(std::uint64_t stub) const {
    constexpr std::size_t stub_size = 20;
    const Architecture *const architecture = functions_.architecture();
    std::vector<std::byte> bytes(stub_size);
    if (architecture == nullptr || architecture->convention().stub_registers == 0 ||
        !functions_.space().can_read(TargetAddr{stub}, bytes)) {
        return std::nullopt;
    }
    std::vector<Instruction> instructions;
    architecture->decode(bytes, stub, instructions);
    const FunctionCode code(stub, stub + stub_size, std::move(instructions));
    const auto jump = std::ranges::find_if(code.instructions(), &Instruction::is_jump);
    const auto index = static_cast<std::size_t>(jump - code.instructions().begin());
    return jump != code.instructions().end() && index > 0 ? code.named_address(index - 1)
                                                          : std::nullopt;
}

}  // namespace gdb_ompd::code
