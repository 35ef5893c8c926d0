// SPDX-License-Identifier: Apache-2.0
#include "model_stop.hpp"

#include "ompd/signal_guard.hpp"

#include "facts.hpp"

#include <algorithm>
#include <iterator>

namespace gdb_ompd {

namespace {

std::vector<ModelTask> to_tasks(const std::vector<PlacedTask> &tasks) {
    std::vector<ModelTask> found;
    std::ranges::transform(tasks, std::back_inserter(found), &to_task);
    return found;
}

}  // namespace

ModelRegions ModelStop::regions() {
    if (!regions_) {
        const AllRuntimes &all = runtimes_.all();
        const py::tuple given(runtimes_.regions());
        py::tuple placed(given.size());
        for (std::size_t at = 0; at < given.size(); ++at) {
            const int number = static_cast<int>(at) + 1;
            placed[at] = to_placed(given[at], stop_.region(number),
                                   all.size() == 1 ? "" : all.file(all.runtime_of_region(number)));
        }
        regions_ = placed;
    }
    return *regions_;
}

std::vector<ModelTask> ModelStop::tasks(const std::vector<int> &gdb_nums) {
    const GuardSpan guard;
    return to_tasks(stop_.tasks(gdb_nums));
}

std::vector<ModelTask> ModelStop::implicit_tasks(int region) {
    const GuardSpan guard;
    return to_tasks(stop_.implicit_tasks(region));
}

std::vector<code::Value> ModelStop::task_functions(int gdb_num) {
    const GuardSpan guard;
    std::vector<code::Value> found;
    for (const PlacedTask &task : stop_.chains(std::vector{gdb_num})) {
        found.push_back(task.function);
    }
    return found;
}

bool ModelStop::executes_task(int gdb_num, std::uint64_t pc, int jumps) {
    const GuardSpan guard;
    const auto chain = stop_.chains(std::vector{gdb_num});
    code::UserCalls &calls = stop_.stacks().reader().calls();
    return std::ranges::any_of(chain, [&](const PlacedTask &task) {
        return task.facts.kind.value == TaskKind::explicit_ && task.function &&
               calls.goes_on_to(*task.function, pc, jumps);
    });
}

ModelWaitingTasks ModelStop::waiting_tasks(bool of_detached) {
    const GuardSpan guard;
    Stop::Waiting read =
        stop_.waiting_tasks(of_detached ? Stop::Places::of_detached : Stop::Places::all);
    ModelWaitingTasks found{{}, std::move(read.notes), std::move(read.unknown)};
    std::ranges::transform(read.tasks, std::back_inserter(found.tasks), &to_waiting_task);
    return found;
}

void init_model_stop(py::module_ &module) {
    py::class_<ModelWaitingTasks>(module, "WaitingRecords",
                                  "The tasks that no thread executes, as they are recorded.")
        .def_readonly("tasks", &ModelWaitingTasks::tasks)
        .def_readonly("notes", &ModelWaitingTasks::notes, "What could not be read, or found.")
        .def_readonly("unknown", &ModelWaitingTasks::unknown,
                      "The positions of the runtimes of which they are not known.");
    py::class_<ModelStop>(module, "Stop",
                          "The regions and tasks of one stop, of all its RUNTIMES, with the places "
                          "of their constructs.")
        .def(py::init<ModelRuntimes &, RegionReader &>(), py::arg("runtimes"), py::arg("calls"),
             py::keep_alive<1, 2>(), py::keep_alive<1, 3>())
        .def_property_readonly("regions", &ModelStop::regions,
                               "The model's, a region before those inside it.")
        .def("region_function", &ModelStop::region_function, py::arg("region"),
             "Return the outlined function of a region, None where it is not kept.")
        .def("tasks", &ModelStop::tasks, py::arg("gdb_nums"),
             "Return the chains of threads, innermost task first.")
        .def("implicit_tasks", &ModelStop::implicit_tasks, py::arg("region"),
             "Return a region's implicit tasks by thread number; of one that is in no chain the "
             "depth is -1.")
        .def("task_functions", &ModelStop::task_functions, py::arg("gdb_num"),
             "Return the outlined function of each task of a thread's chain.")
        .def("executes_task", &ModelStop::executes_task, py::arg("gdb_num"), py::arg("pc"),
             py::arg("jumps"),
             "Return whether the function around PC is the body of an explicit task of a thread's, "
             "or one that such a body has gone on in by so many JUMPS at most.")
        .def("waiting_tasks", &ModelStop::waiting_tasks, py::arg("of_detached") = false,
             "Return the explicit tasks that are created and that no thread executes, only those "
             "OF_DETACHED ones with places if that is asked.");
}

}  // namespace gdb_ompd
