// SPDX-License-Identifier: Apache-2.0
#include "elf/address_space.hpp"
#include "runtimes/llvm/event_reader.hpp"

#include "model_values.hpp"
#include "runtimes.hpp"

#include <vector>

namespace gdb_ompd {

namespace {

using llvm::Announcer;
using llvm::EventReader;
using llvm::EventRegion;
using llvm::EventTask;
using llvm::TaskMaker;

std::optional<std::uint64_t> value_of(const std::optional<TargetAddr> &address) {
    return address ? std::optional(address->value) : std::nullopt;
}

template <class T> auto value_of(TargetAddr T::*address) {
    return [address](const T &self) { return (self.*address).value; };
}

void init_event_values(py::module_ &module) {
    py::class_<EventTask>(module, "EventTask", "An explicit task that begins or ends.")
        .def_property_readonly("record", value_of(&EventTask::record), "The address of its record.")
        .def_property_readonly("routine", value_of(&EventTask::routine),
                               "The function that the compiler made of it.");
    py::class_<TaskMaker>(module, "TaskMaker", "The task that generated another.")
        .def_property_readonly("kind", [](const TaskMaker &self) { return to_model(self.kind); })
        .def_property_readonly(
            "function", [](const TaskMaker &self) { return value_of(self.function); },
            "The function of an explicit task.")
        .def_readonly("thread_num", &TaskMaker::thread_num, "The number of an implicit task.");
    py::class_<EventRegion>(module, "EventRegion", "A parallel region that begins or ends.")
        .def_property_readonly("thread", value_of(&EventRegion::thread),
                               "The record of its primary thread.")
        .def_property_readonly("team", value_of(&EventRegion::team), "The record of its team.")
        .def_readonly("size", &EventRegion::size, "The number of threads in the team.")
        .def_readonly("level", &EventRegion::level)
        .def_property_readonly("function", value_of(&EventRegion::function),
                               "The outlined function, 0 where the runtime does not keep it.")
        .def_readonly("requested", &EventRegion::requested,
                      "How many threads the construct asked for.");
    py::class_<Announcer>(module, "Announcer", "The frame of the function that announces an event.")
        .def(py::init([](std::vector<std::uint64_t> registers, std::uint64_t stack_begin,
                         std::uint64_t stack_end, std::vector<std::uint64_t> pcs) {
                 return Announcer{std::move(registers), stack_begin, stack_end, std::move(pcs)};
             }),
             py::arg("registers"), py::arg("stack_begin"), py::arg("stack_end"), py::arg("pcs"),
             "REGISTERS are its callee-saved ones, PCS the program counters up to the user's "
             "code.");
}

}  // namespace

void init_events(py::module_ &module) {
    init_event_values(module);
    py::class_<EventReader>(
        module, "EventReader",
        "Reads the records of LLVM's runtime for the region or task that begins or ends where a "
        "thread has stopped.\n\nEach question reads memory as it is now, and needs no OMPD "
        "library. errors.Inconsistent where memory is damaged or cannot be read.")
        .def("read_from_kernel", &EventReader::read_from_kernel, py::arg("process"),
             "Say of which process the kernel gives memory that is data, None if of none.")
        .def(
            "announced_task",
            [](EventReader &self, const std::vector<std::uint64_t> &registers) {
                return self.announced_task(registers);
            },
            py::arg("registers"),
            "Return the explicit task that a function announces which has these callee-saved "
            "REGISTERS; None if none or more than one can be it.")
        .def("executed_task", &EventReader::executed_task, py::arg("thread"),
             "Return the explicit task that a thread executes.")
        .def(
            "maker",
            [](EventReader &self, const py::int_ &task) { return self.maker(to_address(task)); },
            py::arg("task"), "Return what generated the task whose record is at TASK.")
        .def(
            "region",
            [](EventReader &self, const NativeThread &thread, bool begins, std::string entry,
               std::optional<Announcer> announcer) {
                return self.region(thread, {begins, std::move(entry), std::move(announcer)});
            },
            py::arg("thread"), py::arg("begins"), py::arg("entry"), py::arg("announcer"),
            "Return the region that begins or ends on a thread.\n\nENTRY is the runtime's "
            "function that the user's code called. ANNOUNCER is None where the thread is in the "
            "team already.")
        .def(
            "teams_function",
            [](EventReader &self, const NativeThread &thread) {
                return value_of(self.teams_function(thread));
            },
            py::arg("thread"),
            "Return the function of the ``teams`` construct that a thread executes.")
        .def("place", &EventReader::place, py::arg("thread"),
             "Return a thread's place in its team, None in no team.")
        .def(
            "is_users",
            [](EventReader &self, const py::int_ &function) {
                return self.is_users(to_address(function));
            },
            py::arg("function"),
            "Return whether a function of the program begins there, and none of the runtime's.");
}

}  // namespace gdb_ompd
