// SPDX-License-Identifier: Apache-2.0
// Why teams have the sizes that they have.
#include "runtimes/settings.hpp"

#include "model_stop.hpp"

namespace gdb_ompd {

Environment environment_in(const Typed<"Mapping[str, str]"> &given) {
    Environment found;
    for (const auto &[variable, value] : py::dict(given)) {
        found.emplace(gdb_ompd::bytes_of(borrowed(variable)), gdb_ompd::bytes_of(borrowed(value)));
    }
    return found;
}

namespace {

std::optional<bool> begins_regions_around(WaitReader &reader, std::uint64_t pc) {
    auto &functions = reader.calls().functions();
    const Module *const module = functions.module_at(pc);
    return module == nullptr ? std::nullopt : std::optional(begins_regions(functions, *module));
}

Typed<"list[str]"> rejected_settings(const Typed<"Mapping[str, str]"> &environment) {
    py::list found;
    for (const auto &[variable, value] : environment_in(environment)) {
        if (is_rejected(variable, value)) {
            found.append(to_text(variable, "surrogateescape"));
        }
    }
    return {std::move(found)};
}

}  // namespace

void init_team_size(py::module_ &module) {
    py::class_<SizeOfRegion>(module, "SizeOfTeam", "Why a region's team has its size.")
        .def_readonly("region", &SizeOfRegion::region)
        .def_readonly("size", &SizeOfRegion::size)
        .def_readonly("nthreads", &SizeOfRegion::nthreads, "The ICV of the task that began it.")
        .def_property_readonly(
            "rule", [](const SizeOfRegion &size) { return text(size.why.rule); },
            "A word of ``model.teams.SizeRule``.")
        .def_property_readonly("certain",
                               [](const SizeOfRegion &size) { return size.why.is_certain; })
        .def_property_readonly("asked", [](const SizeOfRegion &size) { return size.why.asked; })
        .def_property_readonly("limit", [](const SizeOfRegion &size) { return size.why.limit; })
        .def_property_readonly(
            "notable", [](const SizeOfRegion &size) { return size.why.is_notable; },
            "Whether the team is smaller than was asked for, or has one thread for want of CPUs.")
        .def_property_readonly(
            "variable",
            [](const SizeOfRegion &size) {
                return size.why.variable.empty() ? std::nullopt : std::optional(size.why.variable);
            },
            "Which one of the environment it is by.")
        .def_property_readonly(
            "others", [](const SizeOfRegion &size) { return size.why.others; },
            "Threads that other teams have besides those that began them, which the limit is for, "
            "too.");
    module.def("begins_regions", &begins_regions_around, py::arg("reader"), py::arg("pc"),
               "Return whether the file around PC calls what begins a region; None where it is not "
               "known.");
    module.def("rejected_settings", &rejected_settings, py::arg("environment"),
               "Return which variables of an environment have values that no runtime takes.");
    module.def("icv_of", &icv_of, py::arg("variable"),
               "Return the ICV that an environment variable sets; empty where that is not known.");
}

}  // namespace gdb_ompd
