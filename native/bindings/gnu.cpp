// SPDX-License-Identifier: Apache-2.0
#include "runtimes/gnu/event_places.hpp"
#include "runtimes/gnu/gnu_reader.hpp"

#include "runtimes.hpp"

#include <vector>

namespace gdb_ompd {

void init_gnu(py::module_ &module) {
    py::class_<gnu::GnuReader, OmpdReader>(module, "GnuReader")
        .def(py::init<std::shared_ptr<Library>, std::shared_ptr<AddressSpace>>(),
             py::arg("library").none(false), py::arg("space").none(false))
        .def("capabilities", &gnu::GnuReader::capabilities);
    using gnu::EventPlaces;
    py::class_<EventPlaces>(module, "GnuEventPlaces")
        .def(py::init<std::shared_ptr<AddressSpace>, std::uint64_t, EventPlaces::Told>(),
             py::arg("space").none(false), py::arg("bias"), py::arg("told"))
        .def(
            "function",
            [](EventPlaces &self, std::uint64_t pc, const std::vector<std::uint64_t> &registers) {
                return self.function(pc, registers);
            },
            py::arg("pc"), py::arg("registers"))
        .def("is_leagues", &EventPlaces::is_leagues, py::arg("pc"))
        .def("is_teams", &EventPlaces::is_teams, py::arg("pc"));
}

}  // namespace gdb_ompd
