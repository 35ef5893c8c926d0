// SPDX-License-Identifier: Apache-2.0
// Where in the user's code threads are, with the places that Python names.
#include "facts.hpp"
#include "python_names.hpp"

#include <utility>
#include <vector>

namespace gdb_ompd {

namespace {

// The places of threads at one stop.
class PlacesReader {
public:
    PlacesReader(WholeStacks &stacks, const Typed<"PlaceNames"> &names)
        : stacks_(stacks), names_(names), places_(stacks.reader(), names_, stacks.unwinder(),
                                                  [&stacks](int gdb_num, bool is_debuggers) {
                                                      return stacks.read(gdb_num, is_debuggers);
                                                  }) {}

    ThreadPlaces read(const std::vector<int> &gdb_nums) {
        const auto found = places_.find(gdb_nums, stacks_.reads(gdb_nums));
        for (std::size_t at = known_.size(); at < places_.found().size(); ++at) {
            const StackPlace &place = places_.found()[at];
            known_.push_back(std::make_shared<const ThreadPlace>(
                ThreadPlace{named_wait(place, names_), place.wait.in_runtime,
                            place.wait.before_body, place.wait.in_handler, false}));
        }
        ThreadPlaces by_thread;
        for (std::size_t at = 0; at < gdb_nums.size(); ++at) {
            by_thread[gdb_nums[at]] = found[at] ? known_[*found[at]] : without_stack(gdb_nums[at]);
        }
        return by_thread;
    }

private:
    ThreadPlaceRef without_stack(int gdb_num) {
        ThreadPlace place;
        place.is_unreadable = names_.is_unreadable(gdb_num);
        if (place.is_unreadable) {
            Wait wait;
            wait.entry_point = unnamed;
            place.wait = std::make_shared<const Wait>(std::move(wait));
        }
        return std::make_shared<const ThreadPlace>(std::move(place));
    }

    WholeStacks &stacks_;
    PythonNames names_;
    StackPlaces places_;
    std::vector<ThreadPlaceRef> known_;  // by the places' numbers
};

// The calls that began regions, with the places that Python names.
class RegionReader {
public:
    RegionReader(WholeStacks &stacks, const Typed<"PlaceNames"> &names)
        : names_(names), calls_(stacks, names_) {}

    [[nodiscard]] RegionCalls &calls() { return calls_; }

private:
    PythonNames names_;
    RegionCalls calls_;
};

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
            "frame.")
        .def(
            "body_of_worker",
            [](RegionReader &self, int gdb_num) { return self.calls().body_of_worker(gdb_num); },
            py::arg("gdb_num"),
            "Return the body of the region that a worker was given, where the function that its "
            "thread started in has called that itself.");
}

}  // namespace

void init_stack_places(py::module_ &module) {
    py::class_<SourcePlace, std::shared_ptr<SourcePlace>>(
        module, "SourcePlace",
        "A place in the source as the debugger names it. IN_SYSTEM_HEADER tells that its file came "
        "with the compiler or the system, IS_PASSED_OVER that its function starts a stack or is "
        "between the user's code and what that calls.")
        .def(py::init<ModelLocation, bool, bool>(), py::arg("location"),
             py::arg("in_system_header") = false, py::arg("is_passed_over") = false);
    py::class_<PlacesReader>(
        module, "PlacesReader",
        "The places in the user's code of one inferior's threads at one stop. NAMES is the "
        "debugger's part: see PlaceNames.")
        .def(py::init<WholeStacks &, const Typed<"PlaceNames"> &>(), py::arg("stacks"),
             py::arg("names"), py::keep_alive<1, 2>(), py::keep_alive<1, 3>())
        .def("read", &PlacesReader::read, py::arg("gdb_nums"), "Return the places of threads.");
    init_region_calls(module);
}

}  // namespace gdb_ompd
