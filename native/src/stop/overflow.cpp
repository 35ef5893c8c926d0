// SPDX-License-Identifier: Apache-2.0
#include "stop/overflow.hpp"

#include "elf/address_space.hpp"
#include "stop/pthreads.hpp"

#include <vector>

namespace gdb_ompd {

std::optional<std::uint64_t> overflowed(WholeStacks &stacks, int gdb_num, TargetAddr fault,
                                        std::optional<TargetAddr> start, TargetAddr descriptor) {
    constexpr std::size_t few = 16;
    code::FunctionReader &functions = stacks.reader().calls().functions();
    const auto walk = [&] { return llvm::Memory(functions.space()).for_walk(Budget()); };
    const auto stack = start ? initial_stack(walk(), *start) : stack_of(walk(), descriptor);
    std::vector<std::uint64_t> pointers;
    const auto *const architecture = functions.architecture();
    for (const code::Frame &frame :
         architecture != nullptr ? stacks.of(gdb_num) : std::vector<code::Frame>()) {
        const auto pointer = frame.held_by(architecture->convention().stack_pointer);
        if (!pointer || pointers.size() == few) {
            break;
        }
        pointers.push_back(*pointer);
    }
    return stack && ran_off(walk(), fault, *stack, pointers)
               ? std::optional(stack->end - stack->begin)
               : std::nullopt;
}

}  // namespace gdb_ompd
