// SPDX-License-Identifier: Apache-2.0
#include "ompd/signal_guard.hpp"
#include "stop/innermost_runtime.hpp"

#include "model_stop.hpp"

namespace gdb_ompd {

namespace {

using BoundStop = py::class_<ModelStop>;

void init_stop_values(py::module_ &module) {
    py::class_<HeldLock>(module, "HeldLock", "A lock or critical that a thread is inside of.")
        .def_property_readonly("kind", [](const HeldLock &lock) { return text(lock.kind); })
        .def_readonly("object", &HeldLock::object,
                      "Its address; None for what has no word of its own.")
        .def_readonly("entered_at", &HeldLock::entered_at, "The address of the call.")
        .def_readonly("pc", &HeldLock::pc, "Of its function's frame, an inlined one's too.")
        .def_readonly("certain", &HeldLock::certain,
                      "Whether each way through the code to where the thread is enters it, and "
                      "none leaves it.");
    py::class_<ModelWaitingTasks>(module, "WaitingRecords",
                                  "The tasks that no thread executes, as they are recorded.")
        .def_readonly("tasks", &ModelWaitingTasks::tasks)
        .def_readonly("notes", &ModelWaitingTasks::notes, "What could not be read, or found.")
        .def_readonly("unknown", &ModelWaitingTasks::unknown,
                      "The positions of the runtimes of which they are not known.");
    py::class_<CalledBack>(module, "CalledBack",
                           "A function that the program gives to be called back, and that may let "
                           "a lock go.")
        .def_readonly("lock", &CalledBack::lock, "The lock's address.")
        .def_readonly("function", &CalledBack::function, "Where the function begins.");
    py::class_<ThreadsRead>(module, "ThreadsRead", "The facts of a stop's threads.")
        .def_readonly("rows", &ThreadsRead::rows, "Each with its target construct.")
        .def_readonly("threads", &ThreadsRead::threads, "One At for each.")
        .def_readonly("locks", &ThreadsRead::locks,
                      "What runtimes record of the locks that are waited for, by address.")
        .def_readonly("called_back", &ThreadsRead::called_back,
                      "What may let these go whenever it is called back.");
}

void init_all_runtimes(py::module_ &module) {
    py::class_<AllRuntimes, std::shared_ptr<AllRuntimes>>(
        module, "AllRuntimes",
        "The OpenMP runtimes of a process at one stop, to which the debugger adds them. A runtime "
        "is named by its position, in the order in which they were added.")
        .def(
            "add",
            [](AllRuntimes &self, RuntimeReader &reader, const Typed<"str"> &file,
               std::vector<AllRuntimes::Range> code) {
                const GuardSpan guard;
                self.add(reader, bytes_of(file), std::move(code));
            },
            py::arg("reader"), py::arg("file"), py::arg("code"), py::keep_alive<1, 2>(),
            "Add another one with this FILE and the addresses of its CODE.")
        .def(
            "decide",
            [](AllRuntimes &self, ModelStacks &stacks) { choose_innermost(self, stacks.stacks()); },
            py::arg("stacks"),
            "Have the STACKS tell in whose region those threads are that have begun as many "
            "regions of one runtime as of another.")
        .def("doubt", &AllRuntimes::doubt_natives, py::arg("why"),
             "Say why it is not known which threads are not OpenMP's.");
}

void def_threads(BoundStop &stop) {
    stop.def(
            "check", [](ModelStop &self) { static_cast<void>(self.stop().all_runtimes()); },
            "Raise what keeps all runtimes from being read.")
        .def_property_readonly("threads", &ModelStop::threads,
                               "The model's, each from the runtime in whose region it is.")
        .def("listed", &ModelStop::listed, py::arg("locations"),
             "Return the threads with what they are that execute a target region on the host and, "
             "with LOCATIONS, with where they are and what they do outside of the user's code.")
        .def("plain_threads", &ModelStop::plain_threads, py::arg("locations"),
             "Return the threads without what runtimes tell, with LOCATIONS as their stacks show "
             "them.")
        .def_property_readonly("disagreements", &ModelStop::disagreements,
                               "How stack and runtime differ, by GDB number, of threads that were "
                               "listed with locations.")
        .def("wait", &ModelStop::wait, py::arg("gdb_num"),
             "Return what a thread's stack shows that it waits for.")
        .def("waits", &ModelStop::waits,
             "Return what the threads that stand still wait for, by number.")
        .def("facts", &ModelStop::facts,
             "Return the facts that a verdict on a hang is concluded from.")
        .def("loops", &ModelStop::loops, py::arg("gdb_nums"),
             "Return the loops that threads are in for certain, by number.")
        .def(
            "without_workers", [](ModelStop &self) { return self.stop().without_workers(); },
            "Return a thread that keeps workers which fork() has not copied, None without one.");
}

void def_regions(BoundStop &stop) {
    stop.def_property_readonly("teams", &ModelStop::teams,
                               "The model's regions without their constructs, a region before "
                               "those inside it.")
        .def_property_readonly("regions", &ModelStop::regions,
                               "The same with their constructs' places, and with those of their "
                               "threads that the runtimes' records lack.")
        .def(
            "region_function",
            [](ModelStop &self, int region) { return self.stop().constructs().body(region); },
            py::arg("region"),
            "Return the outlined function of a region, None where it is not kept.")
        .def(
            "team_sizes",
            [](ModelStop &self, const std::vector<int> &regions,
               const Typed<"Mapping[str, str]"> &environment) {
                const GuardSpan guard;
                return self.stop().team_sizes(regions, environment_in(environment));
            },
            py::arg("regions"), py::arg("environment"),
            "Return why the teams of regions have their sizes, of those whose threads are known.")
        .def("icvs", &ModelStop::icvs, py::arg("gdb_nums"), py::arg("regions"),
             "Return the ICVs of the runtimes, and of those of the threads and regions that each "
             "knows.")
        .def("control_variables", &ModelStop::control_variables,
             "Return the control variables of every runtime.")
        .def(
            "records",
            [](ModelStop &self) {
                AllRuntimes &all = self.stop().all_runtimes();
                std::vector<std::shared_ptr<Capabilities>> found;
                for (std::size_t position = 0; position < all.size(); ++position) {
                    if (auto own = all.records(position)) {
                        found.push_back(std::move(own));
                    }
                }
                return found;
            },
            "Return what reads the runtimes' records, of those of which it is known where they "
            "are.");
}

void def_tasks(BoundStop &stop) {
    stop.def("tasks", &ModelStop::tasks, py::arg("gdb_nums"),
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
        .def("waiting_tasks", &ModelStop::waiting_tasks, py::arg("of_held") = false,
             "Return the explicit tasks that are created and that no thread executes, only those "
             "OF_HELD ones, detached or blocked, with places if that is asked.");
}

}  // namespace

void init_stop(py::module_ &module) {
    init_stop_values(module);
    init_stacks(module);
    init_loops(module);
    init_all_runtimes(module);
    BoundStop stop(module, "Stop",
                   "What is true of one stop of a PROCESS, by its number, with these THREADS, of "
                   "all its OpenMP runtimes. Each thing is read when it is first asked for. HOST "
                   "is the debugger's part: see StopHost. A library that fails raises "
                   "errors.LibraryFailed.");
    stop.def(py::init<std::vector<NativeThread>, std::uint64_t, PythonStopHost::Given>(),
             py::arg("threads"), py::arg("process"), py::arg("host"));
    def_threads(stop);
    def_regions(stop);
    def_tasks(stop);
    module.def(
        "held_locks",
        [](WaitReader &reader, const std::vector<GivenFrame> &frames) {
            auto found = HeldLocks(reader.calls()).of(frames_of(reader, frames));
            // Others may be inside of one, too.
            std::erase_if(found,
                          [](const HeldLock &one) { return one.kind == code::WaitKind::rwlock; });
            return found;
        },
        py::arg("reader"), py::arg("frames"),
        "Return the locks and criticals that a thread with these frames is inside of, the last "
        "entered first, without those that several may read.");
}

}  // namespace gdb_ompd
