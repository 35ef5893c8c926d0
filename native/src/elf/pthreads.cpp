// SPDX-License-Identifier: Apache-2.0
#include "elf/pthreads.hpp"

#include "elf/address_space.hpp"

#include <algorithm>
#include <unordered_set>

namespace gdb_ompd {

namespace {

constexpr int max_threads = 1 << 16;
constexpr std::uint64_t own_address = 16;  // in the record, of itself: on x86-64

// What the C library describes to debuggers: a descriptor is three numbers of 4 bytes, the field's
// bits, count and offset.
class Descriptions {
public:
    Descriptions(AddressSpace &space, const Modules &modules) : space_(space), modules_(modules) {}

    [[nodiscard]] std::optional<TargetAddr> address(const std::string &name) const {
        const auto found = find_symbol(modules_, name);
        return found ? std::optional(TargetAddr{found->module->bias + found->symbol.value})
                     : std::nullopt;
    }

    [[nodiscard]] std::optional<std::uint64_t> offset(const std::string &field) const {
        const auto at = address("_thread_db_" + field);
        return at ? space_.uint_at(*at + 8, 4) : std::nullopt;
    }

    // Where a list begins: a variable, or a field of the dynamic linker's record; before glibc 2.34
    // a variable of libpthread's, by its NAME_BEFORE.
    [[nodiscard]] std::optional<TargetAddr> list(const std::string &name,
                                                 const std::string &name_before) const {
        if (const auto own = address(name)) {
            return own;
        }
        const auto record = address("_rtld_global");
        const auto field = offset("rtld_global_" + name);
        return record && field ? std::optional(*record + *field) : address(name_before);
    }

private:
    AddressSpace &space_;
    const Modules &modules_;
};

PthreadByLwp listed_pthreads(AddressSpace &space, const Modules &modules) {
    PthreadByLwp found;
    const Descriptions library(space, modules);
    const auto entry = library.offset("pthread_list");
    const auto number = library.offset("pthread_tid");
    const auto next = library.offset("list_t_next");
    if (space.layout().machine != "x86-64" || !entry || !number || !next) {
        return found;
    }
    for (const auto &[name, before] :
         {std::pair("_dl_stack_user", "__stack_user"), std::pair("_dl_stack_used", "stack_used")}) {
        const auto head = library.list(name, before);
        auto at = head ? space.uint_at(*head + *next, pointer_size) : std::nullopt;
        for (int count = 0; at && *at != head->value && count < max_threads; ++count) {
            const TargetAddr thread{*at - *entry};
            const auto lwp = space.uint_at(thread + *number, 4);
            // A record that does not know itself is damaged, or not made yet.
            if (lwp && space.uint_at(thread + own_address, pointer_size) == thread.value) {
                found.emplace(*lwp, thread.value);
            }
            at = space.uint_at(TargetAddr{*at} + *next, pointer_size);
        }
    }
    return found;
}

}  // namespace

PthreadByLwp pthreads_of(AddressSpace &space, const Modules &modules,
                         std::span<const std::uint64_t> lwps, const ThreadPointers &pointers) {
    PthreadByLwp listed = listed_pthreads(space, modules);
    const auto is_listed = [&](std::uint64_t lwp) { return listed.contains(lwp); };
    if (listed.empty() || std::ranges::all_of(lwps, is_listed)) {
        return listed;
    }
    std::unordered_set<std::uint64_t> known;
    for (const auto &[number, pthread] : listed) {
        known.insert(pthread);
    }
    PthreadByLwp found;
    for (const std::uint64_t lwp : lwps) {
        const auto pointer = pointers(lwp);
        const auto by_number = listed.find(lwp);
        if (pointer && known.contains(*pointer)) {
            found.emplace(lwp, *pointer);
        } else if (!pointer && by_number != listed.end()) {
            found.insert(*by_number);
        }
    }
    return found;
}

}  // namespace gdb_ompd
