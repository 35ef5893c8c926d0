// SPDX-License-Identifier: Apache-2.0
#include "base/errors.hpp"
#include "runtimes/llvm/records.hpp"
#include "runtimes/llvm/symbols.hpp"

#include "bindings.hpp"

#include <cstring>
#include <stdexcept>

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
    const py::tuple arguments = py::make_tuple(
        error.error_number(), std::strerror(error.error_number()), FileName{error.path()});
    PyErr_SetObject(PyExc_OSError, arguments.ptr());
}

// What an error names may be any bytes.
void raise(PyObject *type, const std::exception &error) {
    PyErr_SetObject(type, to_text(error.what()).ptr());
}

// One of the package's own.
void raise(const char *type, const std::exception &error) {
    raise(py::module_::import("gdb_ompd.errors").attr(type).ptr(), error);
}

void translate(std::exception_ptr failure) {
    try {
        std::rethrow_exception(std::move(failure));
    } catch (const OmpdError &error) {
        raise(error);
    } catch (const FileError &error) {
        raise(error);
    } catch (const LoadError &error) {
        raise(PyExc_OSError, error);
    } catch (const MemoryUnreadable &failure) {
        std::rethrow_exception(failure.cause());  // Python's own: the next translator knows it
    } catch (const LibraryFailure &failure) {
        raise("LibraryFailed", failure);
    } catch (const llvm::NoSymbol &error) {
        raise("NoSymbols", error);
    } catch (const NoSymbols &error) {
        raise("NoSymbols", error);
    } catch (const NotInitialized &error) {
        raise("NotInitialized", error);
    } catch (const NotServed &error) {
        raise("OmpdToolError", error);
    } catch (const llvm::Unreadable &error) {
        const Inconsistent told(std::string("the program's memory cannot be read: ") +
                                error.what());
        raise("Inconsistent", told);
    } catch (const Inconsistent &error) {
        raise("Inconsistent", error);
    } catch (const std::invalid_argument &error) {
        raise(PyExc_ValueError, error);
    } catch (const Interrupt &) {
        // The debugger's own handler may have set the interrupt already.
        if (PyErr_CheckSignals() == 0) {
            PyErr_SetNone(PyExc_KeyboardInterrupt);
        }
    }
}

py::object make_exception(py::module_ &module, const std::string &name, const char *text) {
    const std::string full = "gdb_ompd._native." + name;
    PyObject *made = PyErr_NewExceptionWithDoc(full.c_str(), text, nullptr, nullptr);
    if (made == nullptr) {
        throw py::error_already_set();
    }
    module.attr(name.c_str()) = py::handle(made);
    return py::reinterpret_steal<py::object>(made);
}

}  // namespace

void init_errors(py::module_ &module) {
    using namespace py::literals;
    py::object error =
        make_exception(module, "OmpdError",
                       "A function of libompd, or a callback of ours, returned an error "
                       "code.\n\nCALL is the OMPD function's name, such as ``ompd_get_state``, "
                       "CODE an ompd_rc_t, CODE_NAME such as ``ompd_rc_stale_handle``.");
    error.attr("__annotations__") =
        py::dict("call"_a = "str", "code"_a = "int", "code_name"_a = "str");
    ompd_error_type = error.release();
    py::register_exception_translator(translate);
    module.def(
        "error_string",
        // A library may return what is no code, and a row has it with its sign.
        [](std::int64_t code) { return error_string(static_cast<ompd_rc_t>(code)); },
        py::arg("code"), "Describe an ``ompd_rc_t`` in words (the 2014 ompd_get_error_string).");
}

}  // namespace gdb_ompd
