// SPDX-License-Identifier: Apache-2.0
#include "unwind/thread_stack.hpp"

#include "base/errors.hpp"
#include "base/kernel_memory.hpp"

namespace gdb_ompd {

namespace {

// Most threads that wait are no deeper in code that is not the user's.
constexpr std::size_t near_size = 1024;

}  // namespace

std::vector<std::unique_ptr<ThreadStack>> ThreadStack::traced(std::span<const int> lwps,
                                                              std::optional<int> process) {
    std::vector<std::unique_ptr<ThreadStack>> stacks;
    std::vector<Piece> pieces;
    std::vector<ThreadStack *> read;
    for (const int lwp : lwps) {
        const auto registers = thread_registers(lwp);
        stacks.push_back(registers ? std::make_unique<ThreadStack>(*registers, process) : nullptr);
        if (registers && process) {
            ThreadStack &stack = *stacks.back();
            stack.near_.resize(near_size);
            stack.near_from_ = TargetAddr{registers->at(stack_pointer).value_or(0)};
            pieces.push_back({stack.near_from_, stack.near_});
            read.push_back(&stack);
        }
    }
    if (process) {
        read_pieces(*process, pieces);
    }
    for (std::size_t i = 0; i < pieces.size(); ++i) {
        if (!pieces[i].is_read) {
            read[i]->near_.clear();  // less than that is left of the stack
        }
    }
    return stacks;
}

void ThreadStack::read_near(AddressSpace &space, TargetAddr address) {
    near_.resize(near_size);
    near_from_ = address;
    if (process_) {
        std::array pieces{Piece{address, near_}};
        read_pieces(*process_, pieces);
        if (pieces[0].is_read) {
            return;
        }
    }
    try {
        is_all_there_ = space.cache().read_exactly(address, near_);
    } catch (const MemoryUnreadable &) {
        is_all_there_ = false;  // less than that is left of the stack, or none is there
    }
    if (!is_all_there_) {
        near_.clear();
    }
}

std::optional<std::uint64_t> ThreadStack::word_at(AddressSpace &space, TargetAddr address) {
    const auto is_near = [&] {
        return near_.size() == near_size &&
               address.value - near_from_.value <= near_size - pointer_size;
    };
    if (!is_near() && is_all_there_) {
        read_near(space, address);
    }
    return is_near() ? space.to_uint(
                           std::span(near_).subspan(address.value - near_from_.value, pointer_size))
                     : space.uint_at(address, pointer_size);
}

}  // namespace gdb_ompd
