// SPDX-License-Identifier: Apache-2.0
#include "stop_host.hpp"

namespace gdb_ompd {

StopHost::Outcome PythonStopHost::add_runtimes(const std::shared_ptr<AllRuntimes> &runtimes) {
    error_ = given_.attr("add_runtimes")(runtimes);
    if (error_.is_none()) {
        return Outcome::read;
    }
    // What it keeps of the frames that raised it leads to this host, where Python sees no cycle.
    for (const char *kept : {"__traceback__", "__context__", "__cause__"}) {
        error_.attr(kept) = py::none();
    }
    const py::object early = py::module_::import("gdb_ompd.errors").attr("NotInitialized");
    return py::isinstance(error_, early) ? Outcome::early : Outcome::failed;
}

// A fresh one each time: what is raised keeps the frames that it passes, and with them this stop.
void PythonStopHost::fail() {
    const py::object type = py::type::of(error_);
    const py::object made = type.attr("__new__")(type, *py::tuple(error_.attr("args")));
    made.attr("__dict__").attr("update")(error_.attr("__dict__"));
    PyErr_SetObject(type.ptr(), made.ptr());
    throw py::error_already_set();
}

std::optional<std::vector<HangReader::Range>> PythonStopHost::readable_code() {
    return given_.attr("readable_code")().cast<std::optional<std::vector<HangReader::Range>>>();
}

std::optional<bool> PythonStopHost::is_forked() {
    return given_.attr("is_forked")().cast<std::optional<bool>>();
}

bool PythonStopHost::is_own_memory(std::uint64_t address) {
    return given_.attr("is_own_memory")(address).cast<bool>();
}

ModelStacks &PythonStopHost::own_stacks() {
    if (!stacks_) {
        stacks_ = given_.attr("stacks")();
    }
    return *stacks_.cast<ModelStacks *>();
}

}  // namespace gdb_ompd
