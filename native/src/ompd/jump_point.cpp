// SPDX-License-Identifier: Apache-2.0
#include "ompd/jump_point.hpp"

#include <algorithm>
#include <functional>

namespace gdb_ompd {

namespace {

// Signal handlers read these. The initial-exec model has them in place from a
// thread's start; the general one would allocate at a thread's first access.
#define GDB_OMPD_SIGNAL_SAFE constinit thread_local __attribute__((tls_model("initial-exec")))
GDB_OMPD_SIGNAL_SAFE std::atomic<JumpPoint *> armed_point{nullptr};
GDB_OMPD_SIGNAL_SAFE std::atomic<JumpPoint *> innermost_point{nullptr};
#undef GDB_OMPD_SIGNAL_SAFE

constexpr auto relaxed = std::memory_order_relaxed;

// ThreadSanitizer calls our handlers from one of its own that blocks all signals.
#if defined(__SANITIZE_THREAD__)
constexpr int saves_mask = 1;
#else
constexpr int saves_mask = 0;
#endif

}  // namespace

JumpPoint *JumpPoint::armed() noexcept { return armed_point.load(relaxed); }

JumpPoint *JumpPoint::innermost() noexcept { return innermost_point.load(relaxed); }

// Only frames below this one are ever jumped over: this one must return itself.
Ending JumpPoint::run(void (*enter)(void *), void *data) noexcept {
    outer_armed_ = armed_point.load(relaxed);
    outer_ = innermost_point.load(relaxed);
    frame_ = static_cast<const std::byte *>(__builtin_frame_address(0));
    // Without the signal mask, which would cost a system call: our handlers
    // block nothing (SA_NODEFER), so there is nothing to be restored.
    if (sigsetjmp(buffer_, saves_mask) == 0) {
        innermost_point.store(this, relaxed);
        armed_point.store(this, relaxed);
        std::atomic_signal_fence(std::memory_order_seq_cst);
        try {
            enter(data);
        } catch (...) {
            ending_.kind = Ending::Kind::threw;
            thrown_ = std::current_exception();
        }
    }
    std::atomic_signal_fence(std::memory_order_seq_cst);
    armed_point.store(outer_armed_, relaxed);
    innermost_point.store(outer_, relaxed);
    return ending_;
}

void JumpPoint::leave(Ending ending) noexcept {
    armed_point.store(nullptr, relaxed);
    ending_ = ending;
    siglongjmp(buffer_, 1);
}

std::optional<std::size_t> JumpPoint::room_on_stack(const void *address) const noexcept {
    const auto *here = static_cast<const std::byte *>(__builtin_frame_address(0));
    const auto *at = static_cast<const std::byte *>(address);
    if (!std::less<>()(here, at)) {
        return std::nullopt;
    }
    // Above a process's initial stack, which GDB runs on, nothing is mapped that a library writes.
    return std::less<>()(at, frame_) ? static_cast<std::size_t>(frame_ - at) : 0;
}

bool JumpPoint::may_leave_at(std::uintptr_t pc) const noexcept {
    return armed() == this && std::any_of(code_.begin(), code_.end(), [pc](const CodeRange &range) {
               return range.begin <= pc && pc < range.end;
           });
}

bool JumpPoint::tick(std::uintptr_t pc, int most_ticks) noexcept {
    if (!hurried_ && most_ticks != 0 && ++ticks_ >= most_ticks) {
        expired_ = true;
    }
    if (!expired_ && !interrupted_) {
        return false;
    }
    if (may_leave_at(pc)) {
        leave({interrupted_ ? Ending::Kind::interrupted : Ending::Kind::expired, 0});
    }
    hurried_ = armed() == this;
    return hurried_;
}

void JumpPoint::interrupt(std::uintptr_t pc) noexcept {
    interrupted_ = true;
    if (may_leave_at(pc)) {
        leave({Ending::Kind::interrupted, 0});
    }
}

JumpPoint::Outside::Outside() noexcept : point_(armed_point.load(relaxed)) {
    armed_point.store(nullptr, relaxed);
    std::atomic_signal_fence(std::memory_order_seq_cst);
}

JumpPoint::Outside::~Outside() {
    std::atomic_signal_fence(std::memory_order_seq_cst);
    armed_point.store(point_, relaxed);
}

}  // namespace gdb_ompd
