// SPDX-License-Identifier: Apache-2.0
// One init function per topic; module.cpp orders them.
//
// The GIL is held throughout: GDB runs Python in one thread, and libompd calls
// back into Python.
#pragma once

#include "base/target.hpp"

#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <algorithm>
#include <span>
#include <string>
#include <string_view>

namespace gdb_ompd {

namespace py = pybind11;

void init_errors(py::module_ &module);
void init_symbols(py::module_ &module);
void init_recovery(py::module_ &module);
void init_invariants(py::module_ &module);
void init_address_space(py::module_ &module);
void init_mapped_files(py::module_ &module);
void init_library(py::module_ &module);
void init_trust(py::module_ &module);
void init_handles(py::module_ &module);
void init_threads(py::module_ &module);
void init_reader(py::module_ &module);
void init_llvm(py::module_ &module);
void init_capabilities(py::module_ &module);
void init_code(py::module_ &module);
void init_function_names(py::module_ &module);
void init_unwinding(py::module_ &module);
void init_waits(py::module_ &module);
void init_stop(py::module_ &module);
void init_team_size(py::module_ &module);
void init_scheduling(py::module_ &module);
void init_constructs(py::module_ &module);
void init_event_stacks(py::module_ &module);
void init_listening(py::module_ &module);

// The name of a file as Python has it: any bytes, by the rules of os.fsencode().
struct FileName {
    std::string bytes;
    bool operator<(const FileName &other) const { return bytes < other.bytes; }
};

// The name of a type as Python writes it.
template <std::size_t N> struct TypeName {
    // NOLINTBEGIN(modernize-avoid-c-arrays): a literal is one, and pybind11 takes one.
    char text[N] = {};
    static constexpr std::size_t size = N - 1;
    consteval TypeName(const char (&given)[N]) { std::copy_n(given, N, text); }
    // NOLINTEND(modernize-avoid-c-arrays)
};

// An object of Python's of which signatures tell the type.
template <TypeName Name> class Typed : public py::object {
public:
    using py::object::object;
    Typed() = default;
    Typed(py::object other) : py::object(std::move(other)) {}
    static bool check_(py::handle) { return true; }
};

// Text of the target or the library, which may not be sound UTF-8.
inline py::str to_text(std::string_view text, const char *errors = "backslashreplace") {
    PyObject *decoded =
        PyUnicode_DecodeUTF8(text.data(), static_cast<py::ssize_t>(text.size()), errors);
    if (decoded == nullptr) {
        throw py::error_already_set();
    }
    return py::reinterpret_steal<py::str>(decoded);
}

// A function's name, empty for None. Of bytes that are no characters Python has surrogates.
inline std::string bytes_of(const py::object &name) {
    if (name.is_none()) {
        return {};
    }
    PyObject *encoded = PyUnicode_AsEncodedString(name.ptr(), "utf-8", "surrogateescape");
    if (encoded == nullptr) {
        throw py::error_already_set();
    }
    return py::reinterpret_steal<py::bytes>(encoded);
}

// A word that is always the same object.
inline py::object word(const char *text) {
    auto found = py::reinterpret_steal<py::object>(PyUnicode_InternFromString(text));
    if (!found) {
        throw py::error_already_set();
    }
    return found;
}

inline py::bytes to_bytes(std::span<const std::byte> data) {
    return {reinterpret_cast<const char *>(data.data()), data.size()};
}

inline std::string_view view_of(const py::bytes &data) {
    return {PyBytes_AS_STRING(data.ptr()), static_cast<std::size_t>(PyBytes_GET_SIZE(data.ptr()))};
}

// An address that Python worked out. A damaged pointer wraps around at the end of
// memory, as it does in C.
inline TargetAddr to_address(const py::int_ &value) {
    const auto address = PyLong_AsUnsignedLongLongMask(value.ptr());
    if (PyErr_Occurred() != nullptr) {
        throw py::error_already_set();
    }
    return TargetAddr{address};
}

}  // namespace gdb_ompd

namespace pybind11::detail {

template <gdb_ompd::TypeName Name> struct handle_type_name<gdb_ompd::Typed<Name>> {
    static constexpr auto name = descr<Name.size>(Name.text);
};

template <> struct type_caster<gdb_ompd::FileName> {
    PYBIND11_TYPE_CASTER(gdb_ompd::FileName, descr<3>("str"));

    bool load(handle source, bool) {
        PyObject *converted = nullptr;
        if (!PyUnicode_Check(source.ptr()) && !PyBytes_Check(source.ptr())) {
            return false;
        }
        if (PyUnicode_FSConverter(source.ptr(), &converted) == 0) {
            throw error_already_set();
        }
        value.bytes = static_cast<std::string>(reinterpret_steal<pybind11::bytes>(converted));
        return true;
    }

    static handle cast(const gdb_ompd::FileName &name, return_value_policy, handle) {
        return PyUnicode_DecodeFSDefaultAndSize(name.bytes.data(),
                                                static_cast<ssize_t>(name.bytes.size()));
    }
};

}  // namespace pybind11::detail
