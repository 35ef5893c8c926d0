// SPDX-License-Identifier: Apache-2.0
#include "code/linked_names.hpp"

#include "base/errors.hpp"
#include "code/image.hpp"
#include "code/linkage_stub.hpp"
#include "elf/address_space.hpp"

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
    if (module == nullptr || module != functions_.module_at(call.address)) {
        return {};
    }
    const auto place = call.target == 0 ? call.constant_place() : place_of_stub(call.target);
    const Names &names = in(*module);
    const auto found = place ? names.find(*place) : names.end();
    return found == names.end() ? std::string() : found->second;
}

std::optional<std::uint64_t> LinkedNames::place_of_stub(std::uint64_t stub) const {
    const Architecture *const architecture = functions_.architecture();
    std::vector<std::byte> bytes(stub_size);
    if (architecture == nullptr || !functions_.space().can_read(TargetAddr{stub}, bytes)) {
        return std::nullopt;
    }
    std::vector<Instruction> instructions;
    architecture->decode(bytes, stub, instructions);
    return slot_of_stub(instructions, architecture->convention().stub_registers);
}

}  // namespace gdb_ompd::code
