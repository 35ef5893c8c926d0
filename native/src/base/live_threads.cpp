// SPDX-License-Identifier: Apache-2.0
#include "base/live_threads.hpp"

#if defined(__linux__)
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <sys/syscall.h>
#include <unistd.h>
#include <vector>
#endif

namespace gdb_ompd {

#if defined(__linux__)

namespace {

constexpr unsigned long long stop_bit = 1ULL << (SIGSTOP - 1);

// Of /proc/PROCESS/task/THREAD/status, see proc(5).
struct ThreadStatus {
    char state = '\0';
    int tracer = 0;
    bool stop_is_pending = false;
    std::optional<std::uint64_t> blocked;
};

std::string tasks_of(int process) { return "/proc/" + std::to_string(process) + "/task"; }

int number_in(const std::string &text) { return std::atoi(text.c_str()); }

std::optional<ThreadStatus> status_in(const std::string &folder) {
    std::ifstream file(folder + "/status");
    ThreadStatus found;
    for (std::string line, name, value; std::getline(file, line);) {
        std::istringstream(line) >> name >> value;
        if (name == "State:") {
            found.state = value.front();
        } else if (name == "TracerPid:") {
            found.tracer = number_in(value);
        } else if (name == "SigPnd:") {
            found.stop_is_pending = (std::stoull(value, nullptr, 16) & stop_bit) != 0;
        } else if (name == "SigBlk:") {
            found.blocked = std::stoull(value, nullptr, 16);
        }
    }
    return found.state == '\0' ? std::nullopt : std::optional(found);
}

std::optional<ThreadStatus> status_of(int process, int thread) {
    return status_in(tasks_of(process) + "/" + std::to_string(thread));
}

std::vector<int> threads_of(int process, int first) {
    std::vector<int> found{first};
    std::error_code gone;
    std::filesystem::directory_iterator each(tasks_of(process), gone);
    for (; !gone && each != std::filesystem::directory_iterator(); each.increment(gone)) {
        const int thread = number_in(each->path().filename());
        if (thread != first) {
            found.push_back(thread);
        }
    }
    return found;
}

bool is_traced_here(const ThreadStatus &status) { return status.tracer == getpid(); }

// Whether it executes or waits: "t" is stopped for its tracer, "Z" and "X" have ended.
bool runs(const ThreadStatus &status) {
    return std::string_view("RSDI").find(status.state) != std::string_view::npos;
}

}  // namespace

bool send_stop(int process, int thread) {
    return syscall(SYS_tgkill, process, thread, SIGSTOP) == 0;
}

bool stop_is_pending(int process, int thread) {
    const auto status = status_of(process, thread);
    return status && is_traced_here(*status) && status->stop_is_pending;
}

std::optional<std::uint64_t> blocked_signals(std::uint64_t thread) {
    const auto status = status_in("/proc/" + std::to_string(thread));
    return status && is_traced_here(*status) ? status->blocked : std::nullopt;
}

int ask_to_stop(int process, int preferred, bool alone) {
    for (const int thread : alone ? std::vector{preferred} : threads_of(process, preferred)) {
        const auto status = status_of(process, thread);
        if (status && is_traced_here(*status) && runs(*status) && !status->stop_is_pending &&
            send_stop(process, thread)) {
            return thread;
        }
    }
    return 0;
}

void undo_stop(int process, int thread) {
    const auto status = status_of(process, thread);
    if (status && status->tracer == 0 && (status->stop_is_pending || status->state == 'T')) {
        kill(process, SIGCONT);
    }
}

#else

bool send_stop(int /*process*/, int /*thread*/) { return false; }
bool stop_is_pending(int /*process*/, int /*thread*/) { return false; }
std::optional<std::uint64_t> blocked_signals(std::uint64_t /*thread*/) { return std::nullopt; }
int ask_to_stop(int /*process*/, int /*preferred*/, bool /*alone*/) { return 0; }
void undo_stop(int /*process*/, int /*thread*/) {}

#endif

}  // namespace gdb_ompd
