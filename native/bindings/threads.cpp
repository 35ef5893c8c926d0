// SPDX-License-Identifier: Apache-2.0
// Threads as Python has them, made in one pass: the debugger's listing, and the model's.
//
// There are many, and every command asks for all: in Python both took 5 % of "ompd threads
// -no-location" at 64 threads.
#include "bindings.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <vector>

namespace gdb_ompd {

namespace {

py::object stolen(PyObject *made) {
    if (made == nullptr) {
        throw py::error_already_set();
    }
    return py::reinterpret_steal<py::object>(made);
}

// A tuple of a class that derives from tuple, whose fields are to be set.
py::object new_tuple(PyTypeObject *type, py::ssize_t size) {
    return stolen(type->tp_alloc(type, size));
}

void set_field(const py::object &made, py::ssize_t position, const py::handle &value) {
    PyTuple_SET_ITEM(made.ptr(), position, value.inc_ref().ptr());
}

// The names of what gdb.InferiorThread has, each looked up as the same object.
struct Attributes {
    py::object num = word("num"), ptid = word("ptid"), handle = word("handle"),
               is_exited = word("is_exited"), is_running = word("is_running");
};

const Attributes &attributes() {
    static const auto *const names = new Attributes;  // not destroyed: Python may have ended
    return *names;
}

bool asked(const py::handle &thread, const py::object &name) {
    return stolen(PyObject_CallMethodNoArgs(thread.ptr(), name.ptr())).ptr() == Py_True;
}

// A thread's pthread_t, None where libthread_db cannot tell it: it runs in the debugger and hands
// out a value of the debugger's own machine.
py::object pthread_id(const py::handle &thread) {
    static_assert(std::endian::native == std::endian::little);
    PyObject *const bytes = PyObject_CallMethodNoArgs(thread.ptr(), attributes().handle.ptr());
    if (bytes == nullptr) {
        // gdb.error is a RuntimeError: no libthread_db, or a core without its executable.
        if (PyErr_ExceptionMatches(PyExc_RuntimeError) == 0 &&
            PyErr_ExceptionMatches(PyExc_SystemError) == 0) {
            throw py::error_already_set();
        }
        PyErr_Clear();
        return py::none();
    }
    const auto held = py::reinterpret_steal<py::bytes>(bytes);
    const auto text = static_cast<std::string_view>(held);
    std::uint64_t number = 0;
    if (text.size() > sizeof number) {
        return py::none();
    }
    std::memcpy(&number, text.data(), text.size());
    return py::int_(number);
}

// The THREADS of an inferior as rows of TYPE, a NativeThread, by number.
py::list native_threads(const py::type &type, int inferior, const py::tuple &threads) {
    const Attributes &names = attributes();
    auto *const made_of = reinterpret_cast<PyTypeObject *>(type.ptr());
    const py::int_ of(inferior);
    const py::object zero = py::int_(0);
    std::vector<std::pair<long, py::object>> found;
    found.reserve(threads.size());
    for (const py::handle thread : threads) {
        if (asked(thread, names.is_exited)) {
            continue;
        }
        const py::object number = thread.attr(names.num);
        const auto ids = py::cast<py::tuple>(thread.attr(names.ptid));
        const py::object lwp = ids[1];
        const py::object tid = ids[2];
        const py::object &known = lwp.equal(zero) ? tid : lwp;
        py::object row = new_tuple(made_of, 5);
        set_field(row, 0, of);
        set_field(row, 1, number);
        set_field(row, 2, known < zero ? zero : known);  // a damaged core may have any
        set_field(row, 3, pthread_id(thread));
        set_field(row, 4, py::bool_(asked(thread, names.is_running)));
        found.emplace_back(number.cast<long>(), std::move(row));
    }
    std::ranges::sort(found, {}, [](const auto &each) { return each.first; });
    py::list rows(found.size());
    for (std::size_t i = 0; i < found.size(); ++i) {
        rows[i] = found[i].second;
    }
    return rows;
}

// Where a model's thread has what is its own: running, thread_num and memberships, after what a
// NativeThread begins with, too.
using Own = std::array<py::ssize_t, 3>;
constexpr py::ssize_t first_own = 4;

py::object copied(const py::tuple &pattern, const py::tuple &native, const py::tuple &row,
                  const Own &own, PyTypeObject *membership) {
    const auto [running, thread_num, memberships] = own;
    py::object made = new_tuple(Py_TYPE(pattern.ptr()), static_cast<py::ssize_t>(pattern.size()));
    for (py::ssize_t i = 0; i < static_cast<py::ssize_t>(pattern.size()); ++i) {
        if (i < first_own) {
            set_field(made, i, native[static_cast<std::size_t>(i)]);
        } else if (i == running) {
            set_field(made, i, native[4]);
        } else if (i == thread_num) {
            set_field(made, i, row[0]);
        } else if (i == memberships && !row[1].is_none()) {
            const auto place = py::cast<py::tuple>(row[1]);
            const auto around = py::cast<py::tuple>(pattern[static_cast<std::size_t>(i)]);
            py::object innermost = new_tuple(membership, 2);
            set_field(innermost, 0, place[0]);
            set_field(innermost, 1, place[1]);
            py::tuple all(around.size() + 1);
            all[0] = innermost;
            for (std::size_t level = 0; level < around.size(); ++level) {
                all[level + 1] = around[level];
            }
            set_field(made, i, all);
        } else {
            set_field(made, i, pattern[static_cast<std::size_t>(i)]);
        }
    }
    return made;
}

py::tuple threads_like(const py::sequence &natives, const py::sequence &rows,
                       const py::function &pattern_of, const py::type &membership, const Own &own) {
    py::tuple made(rows.size());
    py::object others;
    py::tuple pattern;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const auto row = py::cast<py::tuple>(rows[i]);
        const auto native = py::cast<py::tuple>(natives[i]);
        if (!others.is(row[2])) {
            others = row[2];
            pattern = py::cast<py::tuple>(pattern_of(others));
        }
        made[i] =
            copied(pattern, native, row, own, reinterpret_cast<PyTypeObject *>(membership.ptr()));
    }
    return made;
}

}  // namespace

void init_threads(py::module_ &module) {
    module.def("native_threads", &native_threads, py::arg("type"), py::arg("inferior"),
               py::arg("threads"));
    module.def("pthread_id", &pthread_id, py::arg("thread"));
    module.def("threads_like", &threads_like, py::arg("natives"), py::arg("rows"),
               py::arg("pattern_of"), py::arg("membership"), py::arg("own"));
}

}  // namespace gdb_ompd
