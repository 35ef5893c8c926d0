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

py::object to_row(const std::optional<llvm::EventTask> &task) {
    return task ? py::object(py::make_tuple(task->record.value, task->routine.value)) : py::none();
}

py::object region(EventReader &self, const NativeThread &thread, bool begins, std::string entry,
                  std::optional<GivenAnnouncer> announcer) {
    llvm::Announcement said{begins, std::move(entry), {}};
    if (announcer) {
        auto &[registers, stack_begin, stack_end, pcs] = *announcer;
        said.announcer = {std::move(registers), stack_begin, stack_end, std::move(pcs)};
    }
    const auto found = self.region(thread, said);
    if (!found) {
        return py::none();
    }
    return py::make_tuple(found->thread.value, found->team.value, found->size, found->level,
                          found->function.value, found->requested);
}

py::object maker(EventReader &self, const py::int_ &task) {
    const auto found = self.maker(to_address(task));
    if (!found) {
        return py::none();
    }
    const auto function = found->function ? std::optional(found->function->value) : std::nullopt;
    return py::make_tuple(to_model(found->kind), function, found->thread_num);
}

py::object place(EventReader &self, const NativeThread &thread) {
    const auto found = self.place(thread);
    return found ? py::object(py::make_tuple(found->thread_num, found->team_size)) : py::none();
}

}  // namespace

void init_events(py::module_ &module) {
    py::class_<EventReader>(module, "EventReader")
        .def(py::init(&make_event_reader), py::arg("space").none(false), py::arg("layout"),
             py::arg("modules"), py::arg("code").none(false))
        .def("read_from_kernel", &EventReader::read_from_kernel, py::arg("process"))
        .def(
            "announced_task",
            [](EventReader &self, const std::vector<std::uint64_t> &registers) {
                return to_row(self.announced_task(registers));
            },
            py::arg("registers"))
        .def(
            "executed_task",
            [](EventReader &self, const NativeThread &thread) {
                return to_row(self.executed_task(thread));
            },
            py::arg("thread"))
        .def("maker", &maker, py::arg("task"))
        .def("region", &region, py::arg("thread"), py::arg("begins"), py::arg("entry"),
             py::arg("announcer"))
        .def(
            "teams_function",
            [](EventReader &self, const NativeThread &thread) {
                const auto found = self.teams_function(thread);
                return found ? std::optional(found->value) : std::nullopt;
            },
            py::arg("thread"))
        .def("place", &place, py::arg("thread"))
        .def(
            "is_users",
            [](EventReader &self, const py::int_ &function) {
                return self.is_users(to_address(function));
            },
            py::arg("function"));
}

}  // namespace gdb_ompd
