// SPDX-License-Identifier: Apache-2.0
#include "ompd/library.hpp"

#include "base/budget.hpp"
#include "base/specification.hpp"

#include "bindings.hpp"
#include "ompd/handles.hpp"

#include <optional>
#include <stdexcept>

namespace gdb_ompd {

namespace {

void init_constants(py::module_ &module) {
    module.attr("OMPD_API_VERSIONS") =
        py::make_tuple(specification::versions.back(), specification::versions.front());
    module.attr("THREAD_ID_PTHREAD") = ompd_thread_id_pthread;
    module.attr("THREAD_ID_LWP") = ompd_thread_id_lwp;
    module.attr("THREAD_ID_WINTHREAD") = ompd_thread_id_winthread;
    module.attr("SCOPE_GLOBAL") = static_cast<int>(ompd_scope_global);
    module.attr("SCOPE_ADDRESS_SPACE") = static_cast<int>(ompd_scope_address_space);
    module.attr("SCOPE_THREAD") = static_cast<int>(ompd_scope_thread);
    module.attr("SCOPE_PARALLEL") = static_cast<int>(ompd_scope_parallel);
    module.attr("SCOPE_IMPLICIT_TASK") = static_cast<int>(ompd_scope_implicit_task);
    module.attr("SCOPE_TASK") = static_cast<int>(ompd_scope_task);
}

std::vector<specification::Name> specified(std::string_view what) {
    const auto names = [](const auto &rows) {
        return std::vector<specification::Name>(rows.begin(), rows.end());
    };
    if (what == "icvs") {
        return names(specification::icvs());
    }
    if (what == "scopes") {
        return names(specification::scopes());
    }
    if (what == "states") {
        return names(specification::states());
    }
    if (what == "events") {
        return names(specification::events());
    }
    if (what == "functions") {
        return names(specification::functions());
    }
    if (what == "return codes") {
        return names(specification::return_codes());
    }
    throw std::invalid_argument("the specification's names are those of ICVs, scopes, states, "
                                "events, functions and return codes");
}

void init_specification(py::module_ &module) {
    using specification::Name;
    py::class_<Name>(module, "SpecifiedName", "What has a name in some of OMPD's versions.")
        .def_property_readonly("name", [](const Name &self) { return std::string(self.name); })
        .def_readonly("since", &Name::since, "The first version that has it, such as 201811.")
        .def_readonly("dropped", &Name::dropped, "The first that has it no longer, 0 for none.");
    module.def("specified", &specified, py::arg("what"),
               "Return the specification's names of WHAT: \"icvs\", \"scopes\", \"states\", "
               "\"events\", \"functions\" or \"return codes\".");
}

// One guard for all calls of the library while a "with" statement goes on.
class Guarded {
public:
    void enter() { span_.emplace(); }
    void exit() noexcept { span_.reset(); }

private:
    std::optional<GuardSpan> span_;
};

void set_timeout(int seconds) {
    if (seconds < 0) {
        throw std::invalid_argument("a time-out is not negative");
    }
    set_call_timeout(seconds);
    Budget::set_time_limit(seconds);
}

void init_guarded(py::module_ &module) {
    module.def("set_call_timeout", &set_timeout, py::arg("seconds"),
               "Set how long one call into a library may take, in seconds; 0 is for "
               "ever.\n\nValueError for a negative number.");
    py::class_<Guarded>(
        module, "Guarded",
        "A context: signal handlers that end calls into libraries are set just once in it, by the "
        "first call. Every call sets them by itself where there is no such context; contexts nest.")
        .def(py::init<>())
        .def("__enter__", &Guarded::enter)
        .def(
            "__exit__",
            [](Guarded &self, const py::object &, const py::object &, const py::object &) {
                self.exit();
            },
            py::arg("kind").none(true), py::arg("error").none(true),
            py::arg("traceback").none(true));
}

}  // namespace

void init_library(py::module_ &module) {
    init_constants(module);
    init_specification(module);
    init_guarded(module);
    py::class_<Library, std::shared_ptr<Library>>(
        module, "Library",
        "A private instance of an OMPD library, initialised with our callbacks.\n\nThe file is "
        "copied into memory before it is loaded, so that two instances share nothing. What it "
        "prints to standard output is caught. Raises OSError if it cannot be loaded, ValueError if "
        "functions are missing, OmpdError if it speaks no version of OMPD that we do, or "
        "ompd_initialize refuses.\n\nEvery call is guarded: where the library crashes, takes "
        "longer than ``set_call_timeout`` allows, or writes beyond memory of ours, the call raises "
        "errors.LibraryFailed, and so does every later one. Ctrl-C raises KeyboardInterrupt.")
        .def(py::init([](const FileName &path) { return std::make_shared<Library>(path.bytes); }),
             py::arg("path"))
        .def_property_readonly("path",
                               [](const Library &library) { return FileName{library.path()}; })
        .def_property_readonly(
            "failure",
            [](const Library &library) {
                return library.retired() ? std::optional(to_text(library.failure())) : std::nullopt;
            },
            "Why it is never called again: what its LibraryFailed said.")
        .def("api_version", &Library::api_version)
        .def_property_readonly("agreed_version", &Library::agreed_version,
                               "The newest of OMPD's versions that both of us speak.")
        .def("version_string", [](Library &library) { return to_text(library.version_string()); })
        .def("finalize", &Library::finalize,
             "End all that was asked of the library; OmpdError if that was done before.")
        .def("process_initialize", &Process::initialize, py::arg("space").none(false))
        .def(
            "take_output", [](Library &library) { return to_text(library.take_output()); },
            "Return and forget what the library printed.");
}

}  // namespace gdb_ompd
