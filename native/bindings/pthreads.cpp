// SPDX-License-Identifier: Apache-2.0
#include "stop/pthreads.hpp"

#include "elf/address_space.hpp"

#include "bindings.hpp"

namespace gdb_ompd {

namespace {

using Range = std::pair<std::uint64_t, std::uint64_t>;

llvm::Memory walk(AddressSpace &space) { return llvm::Memory(space).for_walk(Budget()); }

std::optional<Range> to_pair(const std::optional<StackRange> &stack) {
    return stack ? std::optional(Range{stack->begin, stack->end}) : std::nullopt;
}

}  // namespace

void init_pthreads(py::module_ &module) {
    module.def(
        "read_mutex",
        [](AddressSpace &space, const py::int_ &mutex) {
            const MutexWord word = read_mutex(walk(space), to_address(mutex));
            return std::pair(word.owner, word.is_shared);
        },
        py::arg("space"), py::arg("mutex"));
    module.def(
        "has_own_number",
        [](AddressSpace &space, const py::int_ &descriptor, std::uint64_t lwp) {
            return has_own_number(walk(space), to_address(descriptor), lwp);
        },
        py::arg("space"), py::arg("descriptor"), py::arg("lwp"));
    module.def(
        "stack_of",
        [](AddressSpace &space, const py::int_ &descriptor) {
            return to_pair(stack_of(walk(space), to_address(descriptor)));
        },
        py::arg("space"), py::arg("descriptor"));
    module.def(
        "initial_stack",
        [](AddressSpace &space, const py::int_ &start) {
            return to_pair(initial_stack(walk(space), to_address(start)));
        },
        py::arg("space"), py::arg("start"));
    module.def(
        "ran_off",
        [](AddressSpace &space, const py::int_ &fault, Range stack,
           const std::vector<std::uint64_t> &pointers) {
            return ran_off(walk(space), to_address(fault), {stack.first, stack.second}, pointers);
        },
        py::arg("space"), py::arg("fault"), py::arg("stack"), py::arg("pointers"));
    module.def(
        "is_behind_system_call",
        [](AddressSpace &space, const py::int_ &pc) {
            return is_behind_system_call(walk(space), to_address(pc));
        },
        py::arg("space"), py::arg("pc"));
}

}  // namespace gdb_ompd
