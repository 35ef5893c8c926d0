// SPDX-License-Identifier: Apache-2.0
#include "elf/address_space.hpp"
#include "runtimes/llvm/event_reader.hpp"

#include "model_values.hpp"
#include "runtimes.hpp"

#include <vector>

namespace gdb_ompd {

namespace {

using llvm::EventReader;
// Registers, the bounds of its stack, program counters.
using GivenAnnouncer = std::tuple<std::vector<std::uint64_t>, std::uint64_t, std::uint64_t,
                                  std::vector<std::uint64_t>>;

std::unique_ptr<EventReader> make_event_reader(std::shared_ptr<AddressSpace> space,
                                               llvm::Layout::Values layout,
                                               const std::vector<std::shared_ptr<Module>> &modules,
                                               std::shared_ptr<code::CodeMap> code) {
    return std::make_unique<EventReader>(std::move(space), llvm::Layout(std::move(layout)),
                                         Modules(modules.begin(), modules.end()), std::move(code));
}

using TaskRow = Typed<"Optional[tuple[int, int]]">;
using RegionRow = Typed<"Optional[tuple[int, int, int, int, int, Optional[int]]]">;
using MakerRow = Typed<"Optional[tuple[TaskKind, Optional[int], Optional[int]]]">;

TaskRow to_row(const std::optional<llvm::EventTask> &task) {
    return task ? py::object(py::make_tuple(task->record.value, task->routine.value)) : py::none();
}

RegionRow region(EventReader &self, const NativeThread &thread, bool begins, std::string entry,
                 std::optional<GivenAnnouncer> announcer) {
    llvm::Announcement said{begins, std::move(entry), {}};
    if (announcer) {
        auto &[registers, stack_begin, stack_end, pcs] = *announcer;
        said.announcer = {std::move(registers), stack_begin, stack_end, std::move(pcs)};
    }
    const auto found = self.region(thread, said);
    if (!found) {
        return {py::none()};
    }
    return py::make_tuple(found->thread.value, found->team.value, found->size, found->level,
                          found->function.value, found->requested);
}

MakerRow maker(EventReader &self, const py::int_ &task) {
    const auto found = self.maker(to_address(task));
    if (!found) {
        return {py::none()};
    }
    const auto function = found->function ? std::optional(found->function->value) : std::nullopt;
    return py::make_tuple(to_model(found->kind), function, found->thread_num);
}

TaskRow place(EventReader &self, const NativeThread &thread) {
    const auto found = self.place(thread);
    return found ? py::object(py::make_tuple(found->thread_num, found->team_size)) : py::none();
}

}  // namespace

void init_events(py::module_ &module) {
    py::class_<EventReader>(
        module, "EventReader",
        "What LLVM's runtime has recorded of the region or task that begins or ends where a thread "
        "has stopped, by LAYOUT. Each question reads memory as it is now, and needs no OMPD "
        "library; errors.Inconsistent where it is damaged or cannot be read.")
        .def(py::init(&make_event_reader), py::arg("space").none(false), py::arg("layout"),
             py::arg("modules"), py::arg("code").none(false))
        .def("read_from_kernel", &EventReader::read_from_kernel, py::arg("process"),
             "Say of which process the kernel gives memory that is data, None if of none.")
        .def(
            "announced_task",
            [](EventReader &self, const std::vector<std::uint64_t> &registers) {
                return to_row(self.announced_task(registers));
            },
            py::arg("registers"),
            "Return record and function of the explicit task that a function announces which has "
            "these in its callee-saved registers; None if none or more than one can be it.")
        .def(
            "executed_task",
            [](EventReader &self, const NativeThread &thread) {
                return to_row(self.executed_task(thread));
            },
            py::arg("thread"), "Return the same of the explicit task that a thread executes.")
        .def("maker", &maker, py::arg("task"),
             "Return the kind of the task that generated the one whose record is at TASK, an "
             "explicit one's function, and an implicit one's thread number.")
        .def("region", &region, py::arg("thread"), py::arg("begins"), py::arg("entry"),
             py::arg("announcer"),
             "Return the region that begins or ends on a thread: the records of thread and team, "
             "size, level, function, 0 where it is not kept, and how many threads the construct "
             "asked for.\n\nENTRY is the runtime's function that the user's code called. ANNOUNCER "
             "is what the function that announces the begin has: callee-saved registers, where its "
             "stack begins and ends, program counters up to the user's code; None where the thread "
             "is in the team already.")
        .def(
            "teams_function",
            [](EventReader &self, const NativeThread &thread) {
                const auto found = self.teams_function(thread);
                return found ? std::optional(found->value) : std::nullopt;
            },
            py::arg("thread"),
            "Return the function of the ``teams`` construct that a thread executes.")
        .def("place", &place, py::arg("thread"), "Return a thread's number and its team's size.")
        .def(
            "is_users",
            [](EventReader &self, const py::int_ &function) {
                return self.is_users(to_address(function));
            },
            py::arg("function"),
            "Tell whether a function of the program begins there, and none of the runtime's.");
}

}  // namespace gdb_ompd
