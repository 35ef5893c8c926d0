// SPDX-License-Identifier: Apache-2.0
#include "code/linked_names.hpp"

#include "base/errors.hpp"
#include "code/image.hpp"
#include "elf/address_space.hpp"

#include <stdexcept>

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

std::string LinkedNames::unbound(std::uint64_t destination) {
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
    const auto found = known->second.find(destination);
    return found == known->second.end() ? std::string() : found->second;
}

}  // namespace gdb_ompd::code
