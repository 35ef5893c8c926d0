// SPDX-License-Identifier: Apache-2.0
#include "facts.hpp"
#include "region_reader.hpp"

namespace gdb_ompd {

using BegunRegions = RegionCalls::Begun;

void init_region_calls(py::module_ &module) {
    py::class_<FrameFunction>(module, "FrameFunction",
                              "What the debugger tells of a frame's function.")
        .def(py::init([](const Typed<"Optional[str]"> &name, const Typed<"Optional[str]"> &symbol,
                         std::uint64_t start, bool has_line) {
                 return FrameFunction{bytes_of(name), bytes_of(symbol), start, has_line};
             }),
             py::arg("name"), py::arg("symbol"), py::arg("start"), py::arg("has_line"),
             "NAME is the frame's, SYMBOL as debug information has it, which knows the START: 0 "
             "where there is none. HAS_LINE tells that it has the frame's place in the source.");
    py::class_<BegunRegions>(module, "BegunRegions",
                             "The regions that a thread's stack shows it to have begun.")
        .def_property_readonly(
            "constructs",
            [](const BegunRegions &self) {
                std::vector<ModelLocation> found;
                for (const PlaceRef &each : self.constructs) {
                    found.emplace_back(location_of(each));
                }
                return found;
            },
            "Where their constructs are, outermost first.")
        .def_readonly("in_last", &BegunRegions::in_last,
                      "Whether the last call has no body on the stack: its region has not begun, "
                      "or has ended.");
    py::class_<RegionReturn>(module, "RegionReturn",
                             "How a thread leaves the region that it began by a call.")
        .def_readonly("home", &RegionReturn::home,
                      "The debugger's frame to which the region's end returns, counted from the "
                      "innermost.")
        .def_readonly("returns_to", &RegionReturn::returns_to)
        .def_readonly("is_direct", &RegionReturn::is_direct,
                      "Whether the user's code has called the body itself.");
    py::class_<RegionReader>(module, "RegionCalls",
                             "The calls by which the user code of one inferior's threads began "
                             "regions. NAMES is the debugger's part: see PlaceNames.")
        .def(py::init<WholeStacks &, const Typed<"PlaceNames"> &>(), py::arg("stacks"),
             py::arg("names"), py::keep_alive<1, 2>(), py::keep_alive<1, 3>())
        .def(
            "begun", [](RegionReader &self, int gdb_num) { return self.calls().begun(gdb_num); },
            py::arg("gdb_num"), "Return where a thread began the regions that it is in.")
        .def(
            "returns",
            [](RegionReader &self, int gdb_num) { return self.calls().returns(gdb_num); },
            py::arg("gdb_num"),
            "Return how it leaves them, outermost first, of those whose code that called has a "
            "frame.");
}

}  // namespace gdb_ompd
