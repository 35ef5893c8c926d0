// SPDX-License-Identifier: Apache-2.0
// Where the kernel of this machine lets threads run, and how it did.
#include "base/scheduling.hpp"
#include "runtimes/settings.hpp"

#include "bindings.hpp"

#include <array>

namespace gdb_ompd {

namespace {

using Settings = Typed<"dict[str, str]">;

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
        .def_readonly("nanoseconds", &Scheduling::nanoseconds, "Of processor time so far.")
        .def_readonly("voluntary", &Scheduling::voluntary, "Switches when it waited.")
        .def_readonly("forced", &Scheduling::forced, "Switches when another thread was to run.");
    py::class_<CpuPlace>(module, "CpuPlace", "Where a CPU is in the machine.")
        .def_readonly("core", &CpuPlace::core)
        .def_readonly("socket", &CpuPlace::socket)
        .def_readonly("node", &CpuPlace::node, "The NUMA node.");
    module.def("scheduling_of", &scheduling_of, py::arg("process"), py::arg("thread"),
               "Return what the kernel knows of a thread.");
    module.def("allowed_cpus", &allowed_cpus, py::arg("thread"),
               "Return the CPUs that a thread, or a process's first one, may run on.");
    module.def(
        "is_on_cpu",
        [](int process, int thread) -> std::optional<bool> {
            const auto call = kernel_call(process, thread);
            return call ? std::optional(is_on_cpu(*call)) : std::nullopt;
        },
        py::arg("process"), py::arg("thread"),
        "Return whether a thread that stands still wants a CPU: it is in no call of the kernel "
        "that "
        "waits. None where that is not known.");
    module.def("place_of_cpu", &place_of_cpu, py::arg("cpu"),
               "Return where a CPU of this machine is.");
    module.def("cpu_quota", &cpu_quota, py::arg("process"),
               "Return how many CPUs' time the control group of a process may use, None where that "
               "is not limited.");
    module.def("parent_of", &parent_of, py::arg("process"),
               "Return the process that started another one, None where that is gone.");
    module.def("settings_about_cpus", &settings_about_cpus, py::arg("environment"),
               "Return which variables of an environment say something of the CPUs of threads, and "
               "what: \"binds\", \"keeps spinning\" or \"waiting\".");
}

}  // namespace gdb_ompd
