// SPDX-License-Identifier: Apache-2.0
#include "unwind/thread_stack.hpp"

#if defined(__x86_64__) && defined(__linux__)
#include <sys/ptrace.h>
#include <sys/user.h>
#endif

namespace gdb_ompd {

std::optional<Registers> thread_registers([[maybe_unused]] int lwp) {
#if defined(__x86_64__) && defined(__linux__)
    user_regs_struct raw{};
    constexpr std::uint64_t user_code = 0x33;  // the selector of 64-bit code
    if (ptrace(PTRACE_GETREGS, lwp, nullptr, &raw) != 0 || raw.cs != user_code) {
        return std::nullopt;
    }
    return Registers{raw.rax, raw.rdx, raw.rcx, raw.rbx, raw.rsi, raw.rdi, raw.rbp, raw.rsp, raw.r8,
                     raw.r9,  raw.r10, raw.r11, raw.r12, raw.r13, raw.r14, raw.r15, raw.rip};
#else
    return std::nullopt;
#endif
}

}  // namespace gdb_ompd
