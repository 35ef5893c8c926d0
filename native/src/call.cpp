// SPDX-License-Identifier: Apache-2.0
#include "call.hpp"

namespace gdb_ompd {

namespace {

thread_local Call *innermost = nullptr;

}  // namespace

Call::Call(OutputTrap &trap, AddressSpace *space) noexcept
    : trap_(trap), space_(space), outer_(std::exchange(innermost, this)), guard_(trap) {}

Call::~Call() { innermost = outer_; }

Call *Call::current() noexcept { return innermost; }

}  // namespace gdb_ompd
