// SPDX-License-Identifier: Apache-2.0
#include "../src/errors.hpp"

#include "bindings.hpp"

#include <cstring>

namespace gdb_ompd {

namespace {

py::handle ompd_error_type;  // lives as long as the module

void raise(const OmpdError &error) {
    py::object exception = ompd_error_type(error.what());
    exception.attr("call") = error.call();
    exception.attr("code") = static_cast<std::uint32_t>(error.code());
    exception.attr("code_name") = code_name(error.code());
    PyErr_SetObject(ompd_error_type.ptr(), exception.ptr());
}

void raise(const FileError &error) {
    const py::tuple arguments =
        py::make_tuple(error.error_number(), std::strerror(error.error_number()), error.path());
    PyErr_SetObject(PyExc_OSError, arguments.ptr());
}

void translate(std::exception_ptr failure) {
    try {
        std::rethrow_exception(std::move(failure));
    } catch (const OmpdError &error) {
        raise(error);
    } catch (const FileError &error) {
        raise(error);
    } catch (const LoadError &error) {
        PyErr_SetString(PyExc_OSError, error.what());
    }
}

}  // namespace

void init_errors(py::module_ &module) {
    ompd_error_type = PyErr_NewExceptionWithDoc(
        "gdb_ompd._native.OmpdError",
        "A function of libompd, or a callback of ours, returned an error code.", nullptr, nullptr);
    if (!ompd_error_type) {
        throw py::error_already_set();
    }
    module.attr("OmpdError") = ompd_error_type;
    py::register_exception_translator(translate);
    module.def(
        "error_string",
        [](std::uint32_t code) { return error_string(static_cast<ompd_rc_t>(code)); },
        py::arg("code"));
}

}  // namespace gdb_ompd
