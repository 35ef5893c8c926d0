// SPDX-License-Identifier: Apache-2.0
#include "stop/event_stack.hpp"

#include "bindings.hpp"

#include <pybind11/functional.h>

namespace gdb_ompd {

namespace {

void init_event_stack(py::module_ &module) {
    py::class_<EventFrame>(module, "EventFrame",
                           "A frame at an event as the debugger has it, inlined ones too.")
        .def(py::init([](std::uint64_t pc, const Typed<"Optional[str]"> &name) {
                 return EventFrame{pc, bytes_of(name)};
             }),
             py::arg("pc"), py::arg("name"));
    py::class_<EventPath>(module, "EventPath",
                          "A thread's stack, from the function that announced an event to the "
                          "innermost user code, where the thread has any. Frames are counted "
                          "from the announcer's.")
        .def_property_readonly("pcs", &EventPath::pcs, "The program counters of all.")
        .def_property_readonly("own", &EventPath::own, "How many frames are the runtime's.")
        .def_property_readonly("has_user", &EventPath::has_user,
                               "Whether the user's code is what these return to.")
        .def_property_readonly("pc", &EventPath::pc, "Where the user's code goes on, 0 without.")
        .def_property_readonly("entry", &EventPath::entry,
                               "The runtime's function that the user's code called or jumped to, "
                               "empty if there is none.")
        .def_property_readonly("begins_league", &EventPath::begins_league,
                               "Whether that begins a league of teams.")
        .def_property_readonly("body_has_frame", &EventPath::body_has_frame,
                               "Whether the user's code is what called the runtime for this event.")
        .def_property_readonly("entry_without_body", &EventPath::entry_without_body,
                               "The frame of the runtime's that a body without a frame jumped to.")
        .def_property_readonly("is_entry_points_own", &EventPath::is_entry_points_own,
                               "Whether an entry point for GCC's code announces, and not what it "
                               "calls.")
        .def_property_readonly("links_serialized", &EventPath::links_serialized,
                               "Whether the event is of a serialized region, whose team the thread "
                               "is in already.")
        .def_property_readonly("caller_of_gcc", &EventPath::caller_of_gcc,
                               "The frame to which a call of GCC's code returns; None for other "
                               "code.")
        .def("is_team_of_league", &EventPath::is_team_of_league, py::arg("begins"),
             "Return whether it is the event of one team of a league, and not the league's or a "
             "region's.");
}

}  // namespace

void init_event_stacks(py::module_ &module) {
    init_event_stack(module);
    py::class_<EventWays>(module, "EventWays",
                          "What is known of one inferior's stacks at events. UNWINDER is None "
                          "where only the debugger unwinds.")
        .def(py::init([](WaitReader &reader, std::optional<Unwinder *> unwinder) {
                 return std::make_unique<EventWays>(reader, unwinder.value_or(nullptr));
             }),
             py::arg("reader"), py::arg("unwinder"), py::keep_alive<1, 2>(), py::keep_alive<1, 3>())
        .def(
            "at", &EventWays::at, py::arg("pc"), py::arg("sp"), py::arg("bp"), py::arg("ask"),
            "Return the stack of the thread whose innermost frame has these registers. ASK returns "
            "the debugger's frames from that one's caller on, up to the user's code.")
        .def("counts_end", &EventWays::counts_end, py::arg("thread"), py::arg("is_own"),
             py::arg("sp"), py::arg("pc"),
             "Return whether the end of a region on a THREAD is announced for the first time, by "
             "the call of GCC's code that returns to PC in a frame at SP. IS_OWN tells that the "
             "entry point itself announces it, which comes last.")
        .def_property_readonly("saved_registers", &EventWays::saved_registers,
                               "The registers that a function leaves as it found them, but for the "
                               "stack pointer, by GDB's names.");
}

}  // namespace gdb_ompd
