// SPDX-License-Identifier: Apache-2.0
// Threads as the debugger lists them.
#include "base/live_threads.hpp"
#include "base/watchpoint_probe.hpp"
#include "elf/address_space.hpp"
#include "elf/pthreads.hpp"
#include "model/facts.hpp"

#include "bindings.hpp"

#include <pybind11/operators.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <vector>

namespace gdb_ompd {

namespace {

// The names of what gdb.InferiorThread has, each looked up as the same object.
struct Attributes {
    py::object num = word("num"), ptid = word("ptid"), handle = word("handle"),
               is_exited = word("is_exited"), is_running = word("is_running");
};

const Attributes &attributes() {
    static const auto *const names = new Attributes;  // not destroyed: Python may have ended
    return *names;
}

bool asked(const py::object &thread, const py::object &name) {
    const auto said =
        py::reinterpret_steal<py::object>(PyObject_CallMethodNoArgs(thread.ptr(), name.ptr()));
    if (!said) {
        throw py::error_already_set();
    }
    return said.ptr() == Py_True;
}

// A thread's pthread_t, none where libthread_db cannot tell it: it runs in the debugger and hands
// out a value of the debugger's own machine.
std::optional<std::uint64_t> pthread_id(const py::object &thread) {
    static_assert(std::endian::native == std::endian::little);
    PyObject *const bytes = PyObject_CallMethodNoArgs(thread.ptr(), attributes().handle.ptr());
    if (bytes == nullptr) {
        // gdb.error is a RuntimeError: no libthread_db, or a core without its executable.
        if (PyErr_ExceptionMatches(PyExc_RuntimeError) == 0 &&
            PyErr_ExceptionMatches(PyExc_SystemError) == 0) {
            throw py::error_already_set();
        }
        PyErr_Clear();
        return std::nullopt;
    }
    const auto held = py::reinterpret_steal<py::bytes>(bytes);
    const auto text = view_of(held);
    std::uint64_t number = 0;
    if (text.size() > sizeof number) {
        return std::nullopt;
    }
    std::memcpy(&number, text.data(), text.size());
    return number;
}

// The kernel's number of a thread, or the target's where it has none of the kernel's.
std::uint64_t lwp(const py::object &thread) {
    const auto ids = py::cast<py::tuple>(thread.attr(attributes().ptid));
    const py::object zero = py::int_(0);
    const py::object own = ids[1];
    const py::object known = own.equal(zero) ? py::object(ids[2]) : own;
    return known < zero ? 0 : known.cast<std::uint64_t>();  // a damaged core may have any
}

NativeThread listed(int inferior, const py::object &thread, bool running) {
    return {thread.attr(attributes().num).cast<int>(), lwp(thread), pthread_id(thread), running,
            inferior};
}

// The THREADS of an inferior that have not exited, by number.
std::vector<NativeThread> native_threads(int inferior, const std::vector<py::object> &threads) {
    std::vector<NativeThread> found;
    found.reserve(threads.size());
    for (const py::object &thread : threads) {
        if (!asked(thread, attributes().is_exited)) {
            found.push_back(listed(inferior, thread, asked(thread, attributes().is_running)));
        }
    }
    std::ranges::sort(found, {}, &NativeThread::gdb_num);
    return found;
}

// A thread that stands still as the listing has it: in a condition GDB counts the thread that it
// asks about as running.
NativeThread stopped_thread(const py::object &thread) {
    return listed(thread.attr("inferior").attr("num").cast<int>(), thread, false);
}

// THREADS with the pthread_t that the C library has of those that the debugger has none of.
std::vector<NativeThread> identified(AddressSpace &space,
                                     const std::vector<std::shared_ptr<Module>> &modules,
                                     std::vector<NativeThread> threads,
                                     const ThreadPointers &pointers) {
    std::vector<std::uint64_t> lwps;
    std::ranges::transform(threads, std::back_inserter(lwps), &NativeThread::lwp);
    const auto found = pthreads_of(space, {modules.begin(), modules.end()}, lwps, pointers);
    for (NativeThread &thread : threads) {
        const auto own = thread.pthread_id ? found.end() : found.find(thread.lwp);
        if (own != found.end()) {
            thread.pthread_id = own->second;
        }
    }
    return threads;
}

}  // namespace

void init_threads(py::module_ &module) {
    py::class_<NativeThread>(module, "NativeThread", "A thread as the debugger lists it.")
        .def(py::init<int, std::uint64_t, std::optional<std::uint64_t>, bool, int>(),
             py::arg("gdb_num"), py::arg("lwp"), py::arg("pthread_id"), py::arg("running"),
             py::arg("inferior"))
        .def(py::self == py::self)
        .def_readonly("inferior", &NativeThread::inferior)
        .def_readonly("gdb_num", &NativeThread::gdb_num)
        .def_readonly("lwp", &NativeThread::lwp, "The kernel's number, 0 for none.")
        .def_readonly("pthread_id", &NativeThread::pthread_id,
                      "Its pthread_t; None where neither libthread_db nor the C library tells it.")
        .def_readonly("running", &NativeThread::running);
    module.def("native_threads", &native_threads, py::arg("inferior"), py::arg("threads"),
               "Return those of an inferior's THREADS, gdb.InferiorThread's, that have not exited, "
               "by number.");
    module.def("identified", &identified, py::arg("space"), py::arg("modules"), py::arg("threads"),
               py::arg("pointers"),
               "Return THREADS with the pthread_t that the C library has of those that have none, "
               "of glibc's list of its threads. POINTERS gives the pointer to its own storage of "
               "the thread with a number of the kernel's.");
    module.def("ask_to_stop", &ask_to_stop, py::arg("process"), py::arg("preferred"),
               py::arg("alone"),
               "Send SIGSTOP to a running thread of PROCESS, which this one traces: PREFERRED or, "
               "unless ALONE, another one if that does not run or was sent one already. Return its "
               "LWP, 0 for none.");
    module.def("stop_is_pending", &stop_is_pending, py::arg("process"), py::arg("thread"),
               "Tell whether a SIGSTOP has not reached THREAD, an LWP that this process traces.");
    module.def("send_stop", &send_stop, py::arg("process"), py::arg("thread"),
               "Send SIGSTOP to THREAD, whatever it does; return False if it is gone.");
    module.def(
        "undo_stop", &undo_stop, py::arg("process"), py::arg("thread"),
        "Have PROCESS go on, which is not traced any more, if a SIGSTOP for THREAD stops it.");
    module.def("hardware_watchpoints_stop", &hardware_watchpoints_stop,
               "Tell whether this machine's debug registers stop a program, as a child of this "
               "process shows once; None where that cannot be tried.");
    module.def(
        "pthread_id", &pthread_id, py::arg("thread"),
        "Return the pthread_t of a gdb.InferiorThread, None where libthread_db cannot tell it.");
    module.def("stopped_thread", &stopped_thread, py::arg("thread"),
               "Return a gdb.InferiorThread that stands still as the listing has it: in a "
               "condition GDB counts the thread that it asks about as running.");
}

}  // namespace gdb_ompd
