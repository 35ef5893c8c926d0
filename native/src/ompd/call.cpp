// SPDX-License-Identifier: Apache-2.0
#include "ompd/call.hpp"

namespace gdb_ompd {

namespace {

// As those of the jump points: one instruction instead of a call at each access.
constinit thread_local __attribute__((tls_model("initial-exec"))) Call *innermost = nullptr;

}  // namespace

Call::Call(const CallScope &scope, AddressSpace *space) noexcept
    : trap_(scope.trap), space_(space), owner_(scope.owner), manners_(scope.manners),
      first_block_(mark_blocks()), outer_(std::exchange(innermost, this)), point_(scope.code),
      guard_(scope.trap) {}

Call::~Call() {
    static_cast<void>(has_overrun());  // forgets the blocks of a call that nobody has asked
    innermost = outer_;
}

Call *Call::current() noexcept { return innermost; }

Ending Call::run(void (*enter)(void *), void *data) noexcept { return point_.run(enter, data); }

bool Call::admits_callback() noexcept {
    if (limit_ == Ending::Kind::returned) {
        if (manners_ == Manners::llvm && ++callbacks_ > max_callbacks) {
            limit_ = Ending::Kind::restless;
        } else if (point_.expired()) {
            limit_ = Ending::Kind::expired;
        }
    }
    if (failure_ == nullptr && limit_ == Ending::Kind::returned) {
        return true;
    }
    if (++refusals_ > max_refusals && JumpPoint::armed() == &point_) {
        const bool failed = limit_ == Ending::Kind::returned;
        point_.leave({failed ? Ending::Kind::restless : limit_, 0});
    }
    return false;
}

bool Call::has_overrun() const noexcept { return overrun_since(first_block_) || overrun_; }

}  // namespace gdb_ompd
