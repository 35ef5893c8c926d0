// SPDX-License-Identifier: Apache-2.0
// Ctrl-C while GDB tells a listener something.
//
// GDB prints what a listener raises and goes on. A Ctrl-C that came since GDB began to
// prepare the event would be lost so, before a line of the listener's Python has run.
#include "bindings.hpp"

namespace gdb_ompd {

namespace {

// Takes a Ctrl-C that Python has not raised yet. Returns whether there was one.
bool take_interrupt() {
    if (PyErr_CheckSignals() == 0) {
        return false;
    }
    if (PyErr_ExceptionMatches(PyExc_KeyboardInterrupt) == 0) {
        throw py::error_already_set();
    }
    PyErr_Clear();
    return true;
}

// Gives Python a Ctrl-C when the block ends, for whoever runs next: GDB asks for it.
class GivenAgain {
public:
    GivenAgain() = default;
    GivenAgain(const GivenAgain &) = delete;
    GivenAgain &operator=(const GivenAgain &) = delete;
    ~GivenAgain() {
        if (interrupted) {
            PyErr_SetInterrupt();
        }
    }
    bool interrupted = false;
};

using Listener = Typed<"_Function">;

py::object call_unbroken(const py::function &listener, const py::args &arguments) {
    GivenAgain ctrl_c;
    for (;;) {
        ctrl_c.interrupted |= take_interrupt();
        try {
            return listener(*arguments);
        } catch (py::error_already_set &error) {
            if (!error.matches(PyExc_KeyboardInterrupt)) {
                throw;
            }
            ctrl_c.interrupted = true;
        }
    }
}

// As Python's own functions do, one in a class takes the object as its first argument.
Listener unbroken(const Listener &given) {
    const py::function listener(given);
    const py::cpp_function call(
        [listener](const py::args &arguments) { return call_unbroken(listener, arguments); });
    PyObject *method = PyInstanceMethod_New(call.ptr());
    if (method == nullptr) {
        throw py::error_already_set();
    }
    return py::reinterpret_steal<Listener>(method);
}

}  // namespace

void init_listening(py::module_ &module) {
    module.def("unbroken", &unbroken, py::arg("listener"),
               "Return LISTENER, or the method of a class, so that Ctrl-C does not end it.\n\nGDB "
               "prints what a listener raises, and the program runs on. This one is called again "
               "until it is done, so that what it does must bear being done twice; then Python has "
               "the Ctrl-C again, for GDB to ask for.");
}

}  // namespace gdb_ompd
