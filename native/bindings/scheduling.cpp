// SPDX-License-Identifier: Apache-2.0
// Where the kernel of this machine lets threads run, and how it did.
#include "base/scheduling.hpp"
#include "runtimes/settings.hpp"

#include "bindings.hpp"

#include <array>
#include <cmath>
#include <map>
#include <vector>

namespace gdb_ompd {

namespace {

using Settings = Typed<"dict[str, str]">;

using Elsewhere = std::optional<Typed<"Callable[[str], str]">>;

std::optional<TextOf> texts_of(const Elsewhere &elsewhere) {
    if (!elsewhere) {
        return std::nullopt;
    }
    return [&elsewhere](const std::string &path) {
        return gdb_ompd::bytes_of((*elsewhere)(to_text(path)));
    };
}

Settings settings_about_cpus(const Typed<"Mapping[str, str]"> &environment) {
    constexpr std::array<std::string_view, 4> texts{"", "binds", "keeps spinning", "waiting"};
    py::dict found;
    for (const auto &[variable, value] : py::dict(environment)) {
        const auto name = gdb_ompd::bytes_of(py::reinterpret_borrow<py::object>(variable));
        const auto text = gdb_ompd::bytes_of(py::reinterpret_borrow<py::object>(value));
        const AboutCpus about = about_cpus(name, text);
        if (about != AboutCpus::nothing) {
            found[variable] = to_text(texts.at(static_cast<std::size_t>(about)));
        }
    }
    return {std::move(found)};
}

}  // namespace

void init_scheduling(py::module_ &module) {
    py::class_<Scheduling>(module, "Scheduling",
                           "What the kernel of this machine knows of a thread; None for what is "
                           "not known.")
        .def_readonly("allowed", &Scheduling::allowed, "The CPUs that it may run on.")
        .def_readonly("last_cpu", &Scheduling::last_cpu)
        .def_property_readonly(
            "state", [](const Scheduling &self) { return to_text(self.state); },
            "The kernel's letter, empty where the thread is gone.")
        .def_readonly("on_cpu", &Scheduling::on_cpu,
                      "Whether one that stands still is in no call of the kernel that waits.")
        .def_readonly("nanoseconds", &Scheduling::nanoseconds, "Of processor time so far.")
        .def_readonly("voluntary", &Scheduling::voluntary, "Switches when it waited.")
        .def_readonly("forced", &Scheduling::forced, "Switches when another thread was to run.");
    py::class_<CpuPlace>(module, "CpuPlace", "Where a CPU is in the machine.")
        .def_readonly("core", &CpuPlace::core)
        .def_readonly("socket", &CpuPlace::socket)
        .def_readonly("node", &CpuPlace::node, "The NUMA node.");
    module.def("scheduling_of", &scheduling_of, py::arg("process"), py::arg("thread"),
               "Return what the kernel knows of a thread.");
    module.def(
        "scheduling_in",
        [](const py::str &stat, const py::str &status, const py::str &schedstat,
           const py::str &syscall) {
            return scheduling_in({gdb_ompd::bytes_of(stat), gdb_ompd::bytes_of(status),
                                  gdb_ompd::bytes_of(schedstat), gdb_ompd::bytes_of(syscall)});
        },
        py::arg("stat"), py::arg("status"), py::arg("schedstat"), py::arg("syscall"),
        "Return what the kernel of another machine knows of a thread, by the texts of its files; "
        "nothing of one that nobody traces.");
    module.def(
        "processor_times",
        [](int process, const std::vector<int> &threads, const Elsewhere &elsewhere) {
            const auto text = texts_of(elsewhere);
            std::map<int, std::pair<std::uint64_t, std::uint64_t>> found;
            for (const auto &[thread, time] :
                 run_times(process, threads, text ? &*text : nullptr)) {
                found.emplace(thread, std::pair(time.ran, time.delayed));
            }
            return found;
        },
        py::arg("process"), py::arg("threads"), py::arg("elsewhere") = py::none(),
        "Return by thread how many nanoseconds they have run, and wanted to while others did; "
        "nothing of those that are gone. ELSEWHERE returns the texts of another machine's files, "
        "of which few are read.");
    py::class_<SharedCpus>(module, "SharedCpus",
                           "What the kernel lets threads of a process run on that cannot have a "
                           "core each; threads by GDB's numbers.")
        .def_readonly("masks", &SharedCpus::masks, "The CPUs of each thread.")
        .def_readonly("on_cpu", &SharedCpus::on_cpu,
                      "The threads that want a CPU: they are in no call of the kernel that waits.")
        .def_readonly("quota", &SharedCpus::quota,
                      "How many percent of one CPU's time the process may use.")
        .def_readonly("of_parent", &SharedCpus::of_parent,
                      "The CPUs of the process that has started it.")
        .def_readonly("cores", &SharedCpus::cores,
                      "CPUs with the numbers of their cores, where threads are bound.");
    module.def(
        "shared_cpus",
        [](int process, const NumberedThreads &threads, const Elsewhere &elsewhere) {
            const auto text = texts_of(elsewhere);
            return shared_cpus(process, threads, text ? &*text : nullptr);
        },
        py::arg("process"), py::arg("threads"), py::arg("elsewhere") = py::none(),
        "Return what THREADS, GDB's numbers with the kernel's, share; None where each of them can "
        "have a core. ELSEWHERE returns the texts of another machine's files.");
    module.def("place_of_cpu", &place_of_cpu, py::arg("cpu"),
               "Return where a CPU of this machine is.");
    module.def(
        "cpu_quota",
        [](int process) -> std::optional<int> {
            const auto quota = cpu_quota(process);
            return quota ? std::optional(static_cast<int>(std::lround(*quota * 100)))
                         : std::nullopt;
        },
        py::arg("process"),
        "Return how many percent of one CPU's time the control group of a process may use, None "
        "where that is not limited.");
    module.attr("MOST_ELSEWHERE") = py::int_(most_elsewhere);
    module.def("settings_about_cpus", &settings_about_cpus, py::arg("environment"),
               "Return which variables of an environment say something of the CPUs of threads, and "
               "what: \"binds\", \"keeps spinning\" or \"waiting\".");
}

}  // namespace gdb_ompd
