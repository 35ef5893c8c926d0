// SPDX-License-Identifier: Apache-2.0
#include "runtimes/gnu/event_places.hpp"

#include "runtimes.hpp"

#include <vector>

namespace gdb_ompd {

void init_gnu(py::module_ &module) {
    using gnu::EventPlaces;
    py::class_<EventPlaces>(
        module, "GnuEventPlaces",
        "What the places tell at which GCC's runtime begins and ends something.")
        .def(
            "function",
            [](EventPlaces &self, std::uint64_t pc,
               const std::function<std::uint64_t(py::str)> &read) {
                return self.function(pc, [&](std::string_view name) {
                    return read(py::str(name.data(), name.size()));
                });
            },
            py::arg("pc"), py::arg("read"),
            "Return the outlined function that is called at PC, or has returned there. READ "
            "returns what a register holds now, by its name.")
        .def("is_leagues", &EventPlaces::is_leagues, py::arg("pc"))
        .def("is_teams", &EventPlaces::is_teams, py::arg("pc"))
        .def("is_target_call", &EventPlaces::is_target_call, py::arg("pc"),
             "Return whether PC is in the function that user code calls for a device.")
        .def("executes_target", &EventPlaces::executes_target, py::arg("pc"), py::arg("sp"),
             "Return whether that call, of a caller whose frame ends at SP, executes the "
             "construct, and does not only make a task of it.");
}

}  // namespace gdb_ompd
