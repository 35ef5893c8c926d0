// SPDX-License-Identifier: Apache-2.0
#include "base/scheduling.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fcntl.h>
#include <filesystem>
#include <iterator>
#include <set>
#include <sstream>
#include <string_view>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace gdb_ompd {

namespace {

constexpr std::size_t most_text = 16384;
constexpr std::size_t most_mask = 8192;  // bytes: 65,536 CPUs
constexpr int bits = 64;
constexpr int most_cpus = most_mask * 8;

using Cpus = std::optional<std::vector<int>>;

// What a small file has; empty where it cannot be read. Opening never waits.
std::string text_of(const std::string &path) {
    const int file = open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
    if (file < 0) {
        return "";
    }
    struct stat status {};
    std::string text(most_text, '\0');
    const bool is_file = fstat(file, &status) == 0 && S_ISREG(status.st_mode);
    const ssize_t count = is_file ? read(file, text.data(), text.size()) : -1;
    close(file);
    text.resize(count < 0 ? 0 : static_cast<std::size_t>(count));
    return text;
}

template <class Number> std::optional<Number> number_in(std::string_view text) {
    const auto first = text.find_first_not_of(" \t\n");
    if (first == std::string_view::npos) {
        return std::nullopt;
    }
    Number number{};
    const auto read = std::from_chars(text.data() + first, text.data() + text.size(), number);
    return read.ec == std::errc() ? std::optional(number) : std::nullopt;
}

std::string of_cpu(int cpu) { return "/sys/devices/system/cpu/cpu" + std::to_string(cpu) + "/"; }

std::string task(int process, int thread) {
    return "/proc/" + std::to_string(process) + "/task/" + std::to_string(thread) + "/";
}

// The value behind NAME in lines such as "Name:  value".
std::string_view named(std::string_view text, std::string_view name) {
    const auto found = text.find(name);
    return found == std::string_view::npos ? std::string_view() : text.substr(found + name.size());
}

// The fields of proc(5)'s stat from the third on, which is the state.
std::vector<std::string> fields_in(const std::string &text) {
    const auto end = text.rfind(')');
    std::istringstream fields(end == std::string::npos ? "" : text.substr(end + 1));
    std::vector<std::string> found;
    for (std::string field; fields >> field;) {
        found.push_back(field);
    }
    return found;
}

std::optional<int> field(const std::vector<std::string> &fields, std::size_t number) {
    return number < fields.size() ? number_in<int>(fields[number]) : std::nullopt;
}

// Whether a debugger has the thread whose STATUS that is.
bool is_traced(const std::string &status) {
    return number_in<int>(named(status, "\nTracerPid:")).value_or(0) != 0;
}

// The call that proc(5)'s syscall is of, -1 for none.
std::optional<int> call_in(const std::string &text) {
    return text.starts_with("running") ? std::optional(-1) : number_in<int>(text);
}

// The CPUs of a list such as "0-3,8".
Cpus cpus_in(std::string_view text) {
    std::vector<int> found;
    std::istringstream parts{std::string(text.substr(0, text.find('\n', 1)))};
    for (std::string part; std::getline(parts, part, ',');) {
        const auto first = number_in<int>(part);
        const auto dash = part.find('-');
        const auto last = dash == std::string::npos ? first : number_in<int>(part.substr(dash + 1));
        if (!first || !last || *first < 0 || *last >= most_cpus) {
            return std::nullopt;
        }
        for (int cpu = *first; cpu <= *last; ++cpu) {
            found.push_back(cpu);
        }
    }
    return found.empty() ? std::nullopt : std::optional(found);
}

// All but the CPUs that it may run on.
Scheduling facts_in(const ThreadFiles &files) {
    constexpr std::size_t processor = 36;  // behind the name
    Scheduling found;
    const auto fields = fields_in(files.stat);
    if (!fields.empty()) {
        found.state = fields.front();
        found.last_cpu = field(fields, processor);
    }
    if (const auto call = call_in(files.syscall)) {
        found.on_cpu = is_on_cpu(*call);
    }
    found.nanoseconds = number_in<std::uint64_t>(files.schedstat);
    found.voluntary = number_in<std::uint64_t>(named(files.status, "\nvoluntary_ctxt_switches:"));
    found.forced = number_in<std::uint64_t>(named(files.status, "nonvoluntary_ctxt_switches:"));
    return found;
}

// How many CPUs' time one folder of the cpu controller allows.
std::optional<double> quota_in(const std::string &folder, const TextOf &text) {
    std::istringstream both(text(folder + "/cpu.max"));  // version 2
    double quota = 0;
    double period = 0;
    if (both >> quota >> period) {
        return period > 0 ? std::optional(quota / period) : std::nullopt;
    }
    const auto allowed = number_in<std::int64_t>(text(folder + "/cpu.cfs_quota_us"));
    const auto of = number_in<std::int64_t>(text(folder + "/cpu.cfs_period_us"));
    return allowed && of && *allowed > 0 && *of > 0
               ? std::optional(static_cast<double>(*allowed) / static_cast<double>(*of))
               : std::nullopt;
}

// Where a CPU is, but for its node.
CpuPlace core_and_socket(int cpu, const TextOf &text) {
    const std::string folder = of_cpu(cpu) + "topology/";
    return {number_in<int>(text(folder + "core_id")),
            number_in<int>(text(folder + "physical_package_id")),
            {}};
}

// Whether few THREADS are asked for that somebody traces on another machine: their files take a
// while each.
bool can_ask(int process, const std::vector<int> &threads, const TextOf &text) {
    return !threads.empty() && threads.size() <= most_elsewhere &&
           is_traced(text(task(process, threads.front()) + "status"));
}

// By the files in a thread's FOLDER.
std::optional<RunTime> run_time_in(const std::string &folder, const TextOf &text) {
    constexpr std::size_t user = 11;
    constexpr std::size_t kernel = 12;
    std::istringstream exact(text(folder + "schedstat"));
    if (RunTime found; exact >> found.ran >> found.delayed) {
        return found;
    }
    constexpr std::uint64_t second = 1'000'000'000;
    const auto fields = fields_in(text(folder + "stat"));
    const auto in_user = field(fields, user);
    const auto in_kernel = field(fields, kernel);
    const auto ticks = static_cast<std::uint64_t>(in_user.value_or(0) + in_kernel.value_or(0));
    return in_user && in_kernel
               ? std::optional(
                     RunTime{ticks * second / static_cast<std::uint64_t>(sysconf(_SC_CLK_TCK))})
               : std::nullopt;
}

// Reads what the kernel of a machine lets threads of one process run on.
class SharedReader {
public:
    SharedReader(int process, const TextOf *elsewhere)
        : process_(process), elsewhere_(elsewhere),
          text_(elsewhere != nullptr ? *elsewhere : text_of) {}

    std::optional<SharedCpus> read(const NumberedThreads &threads);

private:
    [[nodiscard]] Cpus allowed(const std::string &folder, int thread) const;
    bool read_masks(const NumberedThreads &threads);
    void add_demand(const NumberedThreads &threads, bool is_bound);
    [[nodiscard]] bool share_core();
    int core_of(int cpu);

    int process_;
    const TextOf *elsewhere_;
    TextOf text_;
    SharedCpus found_;
    std::set<int> every_;
    std::map<int, int> cores_;
};

Cpus SharedReader::allowed(const std::string &folder, int thread) const {
    return elsewhere_ == nullptr ? allowed_cpus(thread)
                                 : cpus_in(named(text_(folder + "status"), "\nCpus_allowed_list:"));
}

// Whether it can be that they have too few CPUs.
bool SharedReader::read_masks(const NumberedThreads &threads) {
    std::vector<int> lwps;
    std::ranges::transform(threads, std::back_inserter(lwps), &NumberedThreads::value_type::second);
    if (elsewhere_ != nullptr && !can_ask(process_, lwps, text_)) {
        return false;
    }
    for (const auto &[number, thread] : threads) {
        auto cpus = allowed(task(process_, thread), thread);
        if (!cpus || cpus->empty()) {
            continue;
        }
        every_.insert(cpus->begin(), cpus->end());
        found_.masks.emplace_back(number, std::move(*cpus));
        if (elsewhere_ != nullptr && !found_.quota && every_.size() >= threads.size() &&
            found_.masks.size() == 1) {
            return false;
        }
    }
    return true;
}

// A number that CPUs of one core have in common.
int SharedReader::core_of(int cpu) {
    constexpr int cores_of_socket = 1 << 16;
    static std::map<int, int> of_here;  // the machine's CPUs stay where they are
    const auto [found, is_new] = (elsewhere_ == nullptr ? of_here : cores_).try_emplace(cpu, cpu);
    if (is_new) {
        const CpuPlace place = core_and_socket(cpu, text_);
        found->second = place.core ? place.socket.value_or(0) * cores_of_socket + *place.core : cpu;
    }
    return found->second;
}

// Whether several threads are bound to one core.
bool SharedReader::share_core() {
    std::set<int> taken;
    for (const auto &[thread, cpus] : found_.masks) {
        std::set<int> cores;
        for (const int cpu : cpus) {
            cores.insert(core_of(cpu));
        }
        if (cores.size() == 1 && !taken.insert(*cores.begin()).second) {
            return true;
        }
    }
    return false;
}

// Who wants a CPU, and where else there are some.
void SharedReader::add_demand(const NumberedThreads &threads, bool is_bound) {
    for (const auto &[number, lwp] : threads) {
        const auto call = call_in(text_(task(process_, lwp) + "syscall"));
        if (call && is_on_cpu(*call)) {
            found_.on_cpu.push_back(number);
        }
    }
    const std::string own = "/proc/" + std::to_string(process_) + "/";
    const auto parent = field(fields_in(text_(own + "stat")), 1);
    if (parent) {
        found_.of_parent =
            allowed("/proc/" + std::to_string(*parent) + "/", *parent).value_or(std::vector<int>());
    }
    if (is_bound) {
        every_.insert(found_.of_parent.begin(), found_.of_parent.end());
        for (const int cpu : every_) {
            found_.cores.emplace_back(cpu, core_of(cpu));
        }
    }
}

std::optional<SharedCpus> SharedReader::read(const NumberedThreads &threads) {
    if (const auto quota = cpu_quota(process_, text_)) {
        found_.quota = static_cast<int>(std::lround(*quota * 100));
    }
    if (!read_masks(threads)) {
        return std::nullopt;
    }
    const auto has_all = [&](const auto &mask) {
        return mask.second.size() == every_.size() && every_.size() > 1;
    };
    const bool is_bound = !std::ranges::all_of(found_.masks, has_all);
    const auto percent = static_cast<std::size_t>(found_.quota.value_or(0));
    const bool is_limited = percent != 0 && percent < 100 * every_.size();
    const std::size_t fewest = is_limited ? percent : 100 * every_.size();
    if (100 * found_.masks.size() <= fewest && !(is_bound && share_core())) {
        return std::nullopt;
    }
    add_demand(threads, is_bound);
    return std::move(found_);
}

}  // namespace

Cpus allowed_cpus(int thread) {
    std::vector<std::uint64_t> mask(most_mask / sizeof(std::uint64_t));
    const auto size = syscall(SYS_sched_getaffinity, thread, most_mask, mask.data());
    if (size <= 0) {
        return std::nullopt;
    }
    std::vector<int> found;
    for (std::size_t word = 0; word < static_cast<std::size_t>(size) / sizeof mask[0]; ++word) {
        for (int bit = 0; mask[word] != 0 && bit < bits; ++bit) {
            if ((mask[word] >> bit & 1) != 0) {
                found.push_back(static_cast<int>(word) * bits + bit);
            }
        }
    }
    return found;
}

std::optional<int> kernel_call(int process, int thread) {
    return call_in(text_of(task(process, thread) + "syscall"));
}

bool is_on_cpu(int kernel_call) { return kernel_call == -1 || kernel_call == SYS_sched_yield; }

Scheduling scheduling_of(int process, int thread) {
    const std::string folder = task(process, thread);
    Scheduling found = facts_in({text_of(folder + "stat"), text_of(folder + "status"),
                                 text_of(folder + "schedstat"), text_of(folder + "syscall")});
    found.allowed = allowed_cpus(thread);
    return found;
}

Scheduling scheduling_in(const ThreadFiles &files) {
    if (!is_traced(files.status)) {
        return {};
    }
    Scheduling found = facts_in(files);
    found.allowed = cpus_in(named(files.status, "\nCpus_allowed_list:"));
    return found;
}

std::map<int, RunTime> run_times(int process, const std::vector<int> &threads,
                                 const TextOf *elsewhere) {
    const TextOf text = elsewhere == nullptr ? text_of : *elsewhere;
    std::map<int, RunTime> found;
    if (elsewhere != nullptr && !can_ask(process, threads, text)) {
        return found;
    }
    for (const int thread : threads) {
        if (const auto time = run_time_in(task(process, thread), text)) {
            found.emplace(thread, *time);
        }
    }
    return found;
}

CpuPlace place_of_cpu(int cpu) {
    CpuPlace found = core_and_socket(cpu, text_of);
    std::error_code gone;
    std::filesystem::directory_iterator each(of_cpu(cpu), gone);
    for (; !gone && each != std::filesystem::directory_iterator(); each.increment(gone)) {
        const std::string name = each->path().filename();
        if (name.starts_with("node")) {
            found.node = number_in<int>(std::string_view(name).substr(4));
        }
    }
    return found;
}

std::vector<std::string> groups_with_quota(const std::string &groups) {
    std::vector<std::string> found;
    std::istringstream lines(groups);
    for (std::string line; std::getline(lines, line);) {  // such as "1:cpu,cpuacct:/a", "0::/a"
        const auto first = line.find(':');
        const auto second = first == std::string::npos ? first : line.find(':', first + 1);
        if (second == std::string::npos || line[second + 1] != '/') {
            continue;
        }
        const std::string controllers = "," + line.substr(first + 1, second - first - 1) + ",";
        std::vector<const char *> mounts;
        if (controllers == ",,") {
            mounts = {"/sys/fs/cgroup"};
        } else if (controllers.find(",cpu,") != std::string::npos) {
            mounts = {"/sys/fs/cgroup/cpu", "/sys/fs/cgroup/cpu,cpuacct"};
        }
        for (std::string group = line.substr(second + 1); !group.empty();) {
            for (const std::string mount : mounts) {
                found.push_back(mount + group);
            }
            group.resize(group == "/" ? 0 : std::max<std::size_t>(group.rfind('/'), 1));
        }
    }
    return found;
}

std::optional<double> cpu_quota(int process) { return cpu_quota(process, text_of); }

std::optional<double> cpu_quota(int process, const TextOf &text) {
    std::optional<double> least;
    const std::string groups = text("/proc/" + std::to_string(process) + "/cgroup");
    for (const std::string &folder : groups_with_quota(groups)) {
        const auto quota = quota_in(folder, text);
        least = quota && (!least || *quota < *least) ? quota : least;
    }
    return least;
}

std::optional<SharedCpus> shared_cpus(int process, const NumberedThreads &threads,
                                      const TextOf *elsewhere) {
    return SharedReader(process, elsewhere).read(threads);
}

}  // namespace gdb_ompd
