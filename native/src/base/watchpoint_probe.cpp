// SPDX-License-Identifier: Apache-2.0
#include "base/watchpoint_probe.hpp"

#if defined(__linux__) && defined(__x86_64__)
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <sys/ptrace.h>
#include <sys/types.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>
#endif

namespace gdb_ompd {

#if defined(__linux__) && defined(__x86_64__)

namespace {

// The first debug register, for writes of four bytes (Intel SDM 3B, 18.2.4).
constexpr std::uintptr_t write_of_four_bytes = 0x1 | 0x1 << 16 | 0x3 << 18;
constexpr std::size_t control = 7;

volatile int watched = 0;

// What the child does, which may call only what a signal handler may.
[[noreturn]] void write_once() {
    if (ptrace(PTRACE_TRACEME, 0, nullptr, nullptr) == 0) {
        raise(SIGSTOP);
        watched = 1;
    }
    _exit(0);
}

bool set_register(pid_t child, std::size_t number, std::uintptr_t value) {
    const std::size_t offset = offsetof(user, u_debugreg) + number * sizeof(user::u_debugreg[0]);
    return ptrace(PTRACE_POKEUSER, child, offset, value) == 0;
}

int waited(pid_t child) {
    int status = 0;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    return status;
}

std::optional<bool> tried(pid_t child) {
    if (!WIFSTOPPED(waited(child))) {
        return std::nullopt;
    }
    bool stops = set_register(child, 0, reinterpret_cast<std::uintptr_t>(&watched)) &&
                 set_register(child, control, write_of_four_bytes) &&
                 ptrace(PTRACE_CONT, child, nullptr, nullptr) == 0;
    if (stops) {
        const int status = waited(child);
        stops = WIFSTOPPED(status) && WSTOPSIG(status) == SIGTRAP;
        if (!WIFSTOPPED(status)) {
            return stops;  // it has ended
        }
    }
    kill(child, SIGKILL);
    waited(child);
    return stops;
}

}  // namespace

std::optional<bool> hardware_watchpoints_stop() {
    static const std::optional<bool> known = []() -> std::optional<bool> {
        const pid_t child = fork();
        if (child == 0) {
            write_once();
        }
        return child < 0 ? std::nullopt : tried(child);
    }();
    return known;
}

#else

std::optional<bool> hardware_watchpoints_stop() { return std::nullopt; }

#endif

}  // namespace gdb_ompd
