// SPDX-License-Identifier: Apache-2.0
#include "ompd/handles.hpp"

#include "bindings.hpp"

namespace gdb_ompd {

namespace {

ompd_scope_t to_scope(std::uint32_t scope) { return static_cast<ompd_scope_t>(scope); }

std::pair<std::uint64_t, ompd_word_t> to_tuple(const TaskFrame &frame) {
    return {frame.address.value, frame.flags};
}

template <class H> void def_compare(py::class_<H, Handle> &handle) {
    handle.def(
        "compare", [](const H &self, const H &other) { return self.compare(other); },
        py::arg("other"));
}

// What every handle can be asked.
void def_icvs(py::class_<Handle> &handle) {
    handle
        .def(
            "icv",
            [](const Handle &self, ompd_icv_id_t icv_id, std::uint32_t scope) {
                return self.icv(icv_id, to_scope(scope));
            },
            py::arg("icv_id"), py::arg("scope"))
        .def(
            "icv_or_incomplete",
            [](const Handle &self, ompd_icv_id_t icv_id, std::uint32_t scope) {
                return self.icv_or_incomplete(icv_id, to_scope(scope));
            },
            py::arg("icv_id"), py::arg("scope"),
            "Return the value, and whether libompd called it incomplete (code 11).")
        .def(
            "icv_string",
            [](const Handle &self, ompd_icv_id_t icv_id, std::uint32_t scope) {
                return to_text(self.icv_string(icv_id, to_scope(scope)));
            },
            py::arg("icv_id"), py::arg("scope"))
        .def(
            "tool_data",
            [](const Handle &self, std::uint32_t scope) {
                const auto [value, pointer] = self.tool_data(to_scope(scope));
                return std::pair(value, pointer.value);
            },
            py::arg("scope"));
}

std::vector<py::str> control_vars(const Process &process) {
    std::vector<py::str> found;
    for (const std::string &variable : process.display_control_vars()) {
        found.push_back(to_text(variable));
    }
    return found;
}

void init_process(py::module_ &module) {
    py::class_<Process, Handle> process(
        module, "ProcessHandle",
        "An address space handle.\n\n``end`` makes it and every handle from it invalid, for good; "
        "``release`` and deleting it do so, too. Memory goes back to libompd when each object "
        "goes.");
    process.def("end", &Process::end)
        .def(
            "device_initialize",
            [](const Process &self, const std::shared_ptr<AddressSpace> &space, ompd_device_t kind,
               const py::bytes &device_id) {
                return self.device_initialize(space, kind, device_id);
            },
            py::arg("space").none(false), py::arg("kind"), py::arg("device_id"))
        .def("omp_version", &Process::omp_version)
        .def("omp_version_string",
             [](const Process &self) { return to_text(self.omp_version_string()); })
        .def("thread", &Process::thread, py::arg("kind"), py::arg("thread_id"), py::arg("size") = 8)
        .def("display_control_vars", &control_vars,
             "Return ``name=value`` strings, and give them back to libompd.")
        .def("enumerate_states", &Process::enumerate_states)
        .def(
            "enumerate_icvs",
            [](const Process &self) {
                std::vector<std::tuple<ompd_icv_id_t, std::string, std::uint32_t>> icvs;
                for (const auto &[icv_id, name, scope] : self.enumerate_icvs()) {
                    icvs.emplace_back(icv_id, name, static_cast<std::uint32_t>(scope));
                }
                return icvs;
            },
            "Return (id, name, scope) of each.");
}

void init_thread(py::class_<ThreadHandle, Handle> &thread) {
    thread.def("thread_id", &ThreadHandle::thread_id, py::arg("kind"), py::arg("size") = 8)
        .def("state", &ThreadHandle::state, "Return (state, wait id).")
        .def("curr_parallel", &ThreadHandle::curr_parallel)
        .def("curr_task", &ThreadHandle::curr_task);
    def_compare(thread);
}

void init_parallel(py::class_<ParallelHandle, Handle> &parallel) {
    parallel.def("enclosing_parallel", &ParallelHandle::enclosing_parallel)
        .def("thread_in_parallel", &ParallelHandle::thread_in_parallel, py::arg("thread_num"))
        .def("task_in_parallel", &ParallelHandle::task_in_parallel, py::arg("thread_num"));
    def_compare(parallel);
}

void init_task(py::class_<TaskHandle, Handle> &task) {
    task.def("task_parallel", &TaskHandle::task_parallel)
        .def("generating_task", &TaskHandle::generating_task)
        .def("scheduling_task", &TaskHandle::scheduling_task)
        .def(
            "function", [](const TaskHandle &self) { return self.function().value; },
            "Return the address of the task's function, 0 for an initial task.")
        .def(
            "frame",
            [](const TaskHandle &self) {
                const auto [exit, enter] = self.frame();
                return std::pair(to_tuple(exit), to_tuple(enter));
            },
            "Return (exit, enter), each an address and its ompd_frame_flag bits.");
    def_compare(task);
}

}  // namespace

void init_handles(py::module_ &module) {
    py::class_<Handle> handle(
        module, "Handle",
        "Base of the handles libompd gives out. A child keeps its process alive.\n\nA call on a "
        "handle that is not valid raises OmpdError (stale handle), and an ICV or tool data asked "
        "with a scope that is not the handle's raises OmpdError (bad input), both without calling "
        "libompd. ``compare`` returns what libompd says: LLVM's truncates a 64-bit difference, so "
        "that its sign and even its equality can be wrong.");
    handle
        .def_property_readonly("valid", &Handle::valid,
                               "False once released, or once its process handle has ended.")
        .def("release", &Handle::release, "Release it now; a second call does nothing.");
    def_icvs(handle);
    // The classes come before the methods, whose signatures name them.
    py::class_<ThreadHandle, Handle> thread(module, "ThreadHandle", "A thread.");
    py::class_<ParallelHandle, Handle> parallel(module, "ParallelHandle", "A parallel region.");
    py::class_<TaskHandle, Handle> task(module, "TaskHandle", "A task.");
    init_process(module);
    init_thread(thread);
    init_parallel(parallel);
    init_task(task);
}

}  // namespace gdb_ompd
