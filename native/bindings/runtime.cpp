// SPDX-License-Identifier: Apache-2.0
// One mapped runtime, with what Python tells of it and its process.
#include "runtimes/runtime.hpp"

#include "code/code_map.hpp"
#include "elf/address_space.hpp"
#include "ompd/library.hpp"
#include "runtimes/gnu/event_places.hpp"
#include "runtimes/llvm/event_reader.hpp"
#include "runtimes/llvm/private_fields.hpp"
#include "runtimes/reader.hpp"

#include "runtimes.hpp"

#include <pybind11/functional.h>

#include <array>

namespace gdb_ompd {

namespace {

using GivenHost = Typed<"RuntimeHost">;
constexpr std::array<const char *, 3> families{"llvm", "gnu", "other"};

// See RuntimeHost in the stub.
class PythonHost : public RuntimeHost {
public:
    explicit PythonHost(GivenHost given) : given_(std::move(given)) {}

    std::string machine() override { return ask<std::string>("machine"); }
    std::vector<NativeThread> threads() override {
        return ask<std::vector<NativeThread>>("threads");
    }
    std::optional<int> kernels_process() override {
        return ask<std::optional<int>>("kernels_process");
    }
    std::optional<std::string> why_not_loaded() override {
        const py::object why = given_.attr("why_not_loaded")();
        return why.is_none() ? std::nullopt : std::optional(bytes_of(why));
    }
    std::vector<std::string> refusal() override {
        std::vector<std::string> reasons;
        for (const py::handle each : given_.attr("refusal")()) {
            reasons.push_back(bytes_of(py::reinterpret_borrow<py::object>(each)));
        }
        return reasons;
    }
    std::optional<RecoveredSymbols> recovered() override {
        return ask<std::optional<RecoveredSymbols>>("recovered");
    }
    std::optional<llvm::PrivateFields> private_fields(const ConstantsByName &layout) override {
        return given_.attr("private_fields")(layout).cast<std::optional<llvm::PrivateFields>>();
    }
    ConstantsByName event_constants() override { return ask<ConstantsByName>("event_constants"); }

private:
    template <class T> T ask(const char *name) { return given_.attr(name)().cast<T>(); }

    py::object given_;
};

std::unique_ptr<Runtime> made(const std::string &family, const std::shared_ptr<AddressSpace> &space,
                              const FileName &file,
                              const std::optional<std::shared_ptr<Module>> &module,
                              const std::optional<FileName> &why_unread,
                              std::vector<std::pair<std::uint64_t, std::uint64_t>> code,
                              GivenHost host, bool corrections) {
    const auto *const found = std::ranges::find(families, family);
    if (found == families.end()) {
        throw std::invalid_argument(family + ": no family of runtimes");
    }
    RuntimeFile given{file.bytes, module.value_or(nullptr), why_unread ? why_unread->bytes : "",
                      std::move(code)};
    return make_runtime(static_cast<Family>(found - families.begin()), std::move(given), space,
                        std::make_shared<PythonHost>(std::move(host)), corrections);
}

// None for null, as signatures have it.
template <class T> std::optional<std::unique_ptr<T>> none_for_null(std::unique_ptr<T> made) {
    return made ? std::optional(std::move(made)) : std::nullopt;
}

std::vector<py::str> texts_of(const std::vector<std::string> &lines) {
    std::vector<py::str> texts;
    texts.reserve(lines.size());
    for (const std::string &line : lines) {
        texts.push_back(to_text(line));
    }
    return texts;
}

void init_runtime_values(py::module_ &module) {
    using Traits = Runtime::Traits;
    py::class_<Traits>(module, "RuntimeTraits", "What is so of all runtimes of a vendor.")
        .def_readonly("kind", &Traits::kind)
        .def_readonly("has_switch", &Traits::has_switch,
                      "For its events, which 'ompd enable' turns.")
        .def_readonly("has_places", &Traits::has_places,
                      "It announces no events: they are places in its code.")
        .def_readonly("exported_events", &Traits::exported_events,
                      "Functions that stand for events in a runtime without symbols, by event.")
        .def_readonly("own_library", &Traits::own_library,
                      "The OMPD library that comes with this package, \"\" for none.");
    using Version = Runtime::Version;
    py::class_<Version>(module, "RuntimeVersion", "Of which version a runtime is.")
        .def_property_readonly("text",
                               [](const Version &self) {
                                   return self.text ? std::optional(to_text(*self.text))
                                                    : std::nullopt;
                               })
        .def_readonly("is_layout_verified", &Version::is_layout_verified);
    py::class_<RecoveredSymbols>(module, "RecoveredSymbols",
                                 "What was written down when a runtime's symbols were recovered "
                                 "from its code: CONSTANTS are "
                                 "what ``ompd_init()`` stores.")
        .def(py::init<std::optional<std::string>, bool, ConstantsByName>(), py::arg("build_id"),
             py::arg("is_layout_verified"), py::arg("constants"));
}

void def_events(py::class_<Runtime, std::shared_ptr<Runtime>> &runtime) {
    runtime
        .def("events_enabled", &Runtime::events_enabled,
             "Tell whether events are switched on, None where there is no switch that is known.")
        .def("keeps_records", &Runtime::keeps_records,
             "Tell whether it keeps records for tools, as it does while events are on.")
        .def("set_events", &Runtime::set_events, py::arg("on"))
        .def("enable_events_at_start", &Runtime::enable_events_at_start,
             "Switch events on in a runtime that has just started, where it has a switch, unless "
             "the program was started with OMP_DEBUG, whatever its value.")
        .def("check_now", &Runtime::check_now,
             "Raise what keeps it from being read, by memory as it is now.")
        .def(
            "set_boundary",
            [](Runtime &self, std::uint64_t thread, std::uint64_t team) {
                self.set_boundary(TargetAddr{thread}, TargetAddr{team});
            },
            py::arg("thread"), py::arg("team"),
            "Say which thread is at a region's event, and the region's team, by the addresses of "
            "their records, until the program goes on; 0 for none.")
        .def(
            "event_reader",
            [](Runtime &self, const std::shared_ptr<code::CodeMap> &code,
               const std::vector<std::shared_ptr<Module>> &modules) {
                return none_for_null(
                    self.event_reader(code, Modules(modules.begin(), modules.end())));
            },
            py::arg("code").none(false), py::arg("modules"),
            "Return what reads its records at an event that it announces, None where they are not "
            "known.")
        .def(
            "event_places", [](Runtime &self) { return none_for_null(self.event_places()); },
            "Return the places in its code that are its events, None where it announces them.");
}

void def_status(py::class_<Runtime, std::shared_ptr<Runtime>> &runtime) {
    runtime
        .def("is_initialized", &Runtime::is_initialized,
             "Tell whether it names its libraries, as it does once it has started.")
        .def("source_of_symbols", &Runtime::source_of_symbols,
             "Return \"symtab\", \"debuginfo\" or \"recovered\"; None if OMPD's symbols are "
             "nowhere.")
        .def("version", &Runtime::version, py::arg("said"),
             "Return of which version it is by what its library has SAID.")
        .def(
            "notes", [](Runtime &self) { return texts_of(self.notes()); },
            "Return what is to be said of all that is read of it.")
        .def_property_readonly(
            "tasks_unknown", [](const Runtime &self) { return to_text(self.tasks_unknown()); },
            "Why the tasks that no thread executes are not known, where they are not.");
}

}  // namespace

void init_runtime(py::module_ &module) {
    init_runtime_values(module);
    py::class_<Runtime, std::shared_ptr<Runtime>> runtime(
        module, "MappedRuntime",
        "One mapped runtime of a process: whether it can be asked, what reads it, and its "
        "events.\n\nFAMILY is ``runtime_family``'s. FILE is its name for the user, MODULE None "
        "where it cannot be read, WHY_UNREAD says why, CODE has its address ranges. CORRECTIONS "
        "says whether the known faults of libraries are put right. Raises errors.NoSymbols, "
        "NotInitialized, Inconsistent or OmpdToolError with the cure.");
    runtime
        .def(py::init(&made), py::arg("family"), py::arg("space").none(false), py::arg("file"),
             py::arg("module"), py::arg("why_unread"), py::arg("code"), py::arg("host"),
             py::arg("corrections"))
        .def_property_readonly("traits", &Runtime::traits)
        .def("reader", &Runtime::reader, py::arg("load"),
             "Return what reads it by the library that LOAD gives.")
        .def("check_handles", &Runtime::check_handles,
             "Raise what forbids that a script has handles of the process.")
        .def("end_stop", &Runtime::end_stop,
             "Give back the handles of this stop and forget what was read.");
    def_events(runtime);
    def_status(runtime);
}

}  // namespace gdb_ompd
