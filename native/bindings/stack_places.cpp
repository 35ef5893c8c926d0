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
}

}  // namespace gdb_ompd
