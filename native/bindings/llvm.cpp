// SPDX-License-Identifier: Apache-2.0
#include "elf/address_space.hpp"
#include "runtimes/llvm/corrections.hpp"
#include "runtimes/llvm/environment.hpp"
#include "runtimes/llvm/llvm_reader.hpp"
#include "runtimes/llvm/proof.hpp"
#include "runtimes/llvm/start.hpp"
#include "runtimes/llvm/walk.hpp"

#include "runtimes.hpp"

#include <pybind11/functional.h>

#include <map>
#include <vector>

namespace gdb_ompd {

namespace {

std::vector<llvm::Correction> corrections() {
    std::vector<llvm::Correction> found;
    found.reserve(llvm::all_corrections().size());
    for (const llvm::Correction *rule : llvm::all_corrections()) {
        found.push_back(*rule);
    }
    return found;
}

const char *word_for(llvm::RuntimeState state) {
    switch (state) {
    case llvm::RuntimeState::before_start:
        return "before start";
    case llvm::RuntimeState::unstarted:
        return "unstarted";
    case llvm::RuntimeState::ended:
        return "ended";
    case llvm::RuntimeState::running:
        return "running";
    }
    return "";
}

std::vector<FileName> named_libraries(AddressSpace &space) {
    std::vector<FileName> found;
    for (std::string &name : llvm::named_libraries(space)) {
        found.push_back({std::move(name)});
    }
    return found;
}

bool was_started_with(AddressSpace &space, const std::string &variable) {
    try {
        return llvm::environment_of(llvm::Memory(space)).contains(variable);
    } catch (const llvm::Unreadable &) {
        return false;
    }
}

std::map<FileName, FileName> environment(AddressSpace &space, const py::int_ &variable) {
    std::map<FileName, FileName> found;
    try {
        const auto at = to_address(variable);
        for (const auto &[name, value] : llvm::environment_at(llvm::Memory(space), at)) {
            found[FileName{name}] = FileName{value};
        }
    } catch (const llvm::Unreadable &) {
        return {};
    }
    return found;
}

std::vector<py::str> violations_of(const llvm::Walk &walk) {
    std::vector<py::str> lines;
    lines.reserve(walk.violations.size());
    for (const std::string &line : walk.violations) {
        lines.push_back(to_text(line));
    }
    return lines;
}

void init_start(py::module_ &module) {
    py::class_<llvm::MissingSymbols>(module, "MissingSymbols", "What a runtime's file lacks.")
        .def_readonly("names", &llvm::MissingSymbols::names)
        .def_readonly("is_stripped", &llvm::MissingSymbols::is_stripped,
                      "Of all that tell the layout.");
    module.def(
        "missing_symbols", &llvm::missing_symbols, py::arg("elf"),
        "List those symbols that OMPD needs and ELF lacks, and tell whether it lacks all that tell "
        "the layout. ValueError for a file that is damaged, or was replaced.");
    module.def(
        "runtime_state",
        [](AddressSpace &space, std::optional<int> process) {
            const KernelReads reads(space.cache(), process);
            return word_for(llvm::runtime_state(space));
        },
        py::arg("space"), py::arg("process"),
        "Return ``before start``, ``unstarted``, ``ended`` or ``running``. An unstarted runtime "
        "may be starting, or have shut down early. The kernel gives the memory of a PROCESS that "
        "is named.");
    module.def("has_named_libraries", &llvm::has_named_libraries, py::arg("space"),
               "Tell whether a runtime names its OMPD libraries by ``ompd_dll_locations``, as it "
               "does once it has started. NoSymbols where it has no such symbol.");
    module.def("named_libraries", &named_libraries, py::arg("space"),
               "List what a runtime names there; nothing where memory cannot be read.");
    module.def("events_enabled", &llvm::events_enabled, py::arg("space"),
               "Tell whether the runtime tracks states and announces events.");
    module.def("keeps_records", &llvm::keeps_records, py::arg("space"),
               "Tell whether the runtime keeps records for tools: once events were on, or where a "
               "tool has itself called.");
    module.def("enable_events", &llvm::enable_events, py::arg("space"),
               "Do in the program what ``OMP_DEBUG=enabled`` does at its start.");
    module.def("disable_events", &llvm::disable_events, py::arg("space"), "Stop events.");
    module.def("environment", &environment, py::arg("space"), py::arg("variable"),
               "Return the environment that the C library's ``environ``, at VARIABLE, leads to; "
               "none where that cannot be read.");
    module.def("was_started_with", &was_started_with, py::arg("space"), py::arg("variable"),
               "Tell whether one of OpenMP's variables is in the program's environment; not where "
               "that cannot be read.");
    module.def(
        "check_settings",
        [](AddressSpace &space, llvm::Layout::Values layout) {
            llvm::check_settings(space, llvm::Layout(std::move(layout)));
        },
        py::arg("space"), py::arg("layout"),
        "Raise Inconsistent where libompd must not be asked for ICVs or settings.");
}

void init_proof(py::module_ &module) {
    init_start(module);
    module.def("prove_constants", &llvm::prove_constants, py::arg("space"), py::arg("module"),
               py::arg("constants"),
               "Compare the constants that were recovered for MODULE with the program, in which "
               "``ompd_init`` has run. Raises Inconsistent with the first difference.");
    module.def(
        "prove_symbols",
        [](AddressSpace &space, const Module &mapped, const llvm::Layout::Values &constants,
           const std::vector<NativeThread> &threads) {
            return llvm::prove_symbols(space, mapped, constants, threads);
        },
        py::arg("space"), py::arg("module"), py::arg("constants"), py::arg("threads"),
        "Compare all symbols that were recovered for MODULE with the program. Returns how many "
        "threads' records proved the table of threads: 0 while the runtime knows none. Raises "
        "Inconsistent with the first difference.");
    py::class_<llvm::Walk>(module, "LayoutCheck", "What a layout says of a stopped program.")
        .def_property_readonly("violations", &violations_of, "What cannot be, a line each.")
        .def_readonly("checked", &llvm::Walk::checked,
                      "How many facts were looked at; none while no thread is seen in a team.");
    module.def(
        "walk_records",
        [](AddressSpace &space, llvm::Layout::Values layout,
           const std::vector<NativeThread> &threads) {
            const llvm::Layout judged(std::move(layout));
            return llvm::walk_records(space, judged, threads);
        },
        py::arg("space"), py::arg("layout"), py::arg("threads"),
        "Return what LAYOUT says about a stopped program that cannot be, a line each, and how many "
        "facts were looked at; none while no thread is seen in a team. Raises Inconsistent for "
        "what cannot be a layout at all, NoSymbols without a table of threads.");
}

}  // namespace

void init_llvm(py::module_ &module) {
    init_proof(module);
    using llvm::LlvmReader;
    module.def(
        "llvm_layout", [](AddressSpace &space) { return llvm::Layout::read(space).values(); },
        py::arg("space"),
        "Read the layout that LLVM's runtime publishes: the values of META_SYMBOLS by "
        "name.\n\nerrors.Inconsistent where they cannot be a layout. Before the runtime's "
        "``ompd_init`` has run every value is 0.");
    py::class_<llvm::Correction>(module, "Correction", "A rule that puts a fact right.")
        .def_readonly("name", &llvm::Correction::name)
        .def_readonly("fault", &llvm::Correction::fault,
                      "What the library says that is not so, or does not say.")
        .def_readonly("right", &llvm::Correction::right, "Where the right value is read.");
    module.def("llvm_corrections", &corrections,
               "List the corrections: a name, what the library says that is not so or does not "
               "say, and where the right value is read.");
    py::class_<LlvmReader, OmpdReader>(
        module, "LlvmReader",
        "What the handles of LLVM's OMPD library say, put right by ``llvm_corrections`` and "
        "completed from the runtime's records. errors.Inconsistent where its layout is not sound.")
        .def(py::init<std::shared_ptr<Library>, std::shared_ptr<AddressSpace>>(),
             py::arg("library").none(false), py::arg("space").none(false))
        .def("set_records", &LlvmReader::set_records, py::arg("code"), py::arg("fields"),
             "Say where the runtime's code is. FIELDS is asked once where it keeps what OMPD does "
             "not publish, when that is needed; None if that is not known.")
        .def("set_corrections", &LlvmReader::set_corrections, py::arg("on"),
             "Say whether what the library says is put right. It ends the stop.")
        .def(
            "set_boundary",
            [](LlvmReader &self, std::uint64_t thread, std::uint64_t team) {
                self.set_boundary({TargetAddr{thread}, TargetAddr{team}});
            },
            py::arg("thread"), py::arg("team"),
            "Say which thread is at a region's event, by the addresses of the runtime's records; 0 "
            "for none. It ends the stop if it changes anything.");
}

}  // namespace gdb_ompd
