// SPDX-License-Identifier: Apache-2.0
#include "elf/address_space.hpp"
#include "runtimes/llvm/corrections.hpp"
#include "runtimes/llvm/environment.hpp"
#include "runtimes/llvm/layout.hpp"
#include "runtimes/llvm/proof.hpp"
#include "runtimes/llvm/start.hpp"
#include "runtimes/llvm/walk.hpp"

#include "bindings.hpp"

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

std::vector<FileName> named_libraries(AddressSpace &space) {
    std::vector<FileName> found;
    for (std::string &name : llvm::named_libraries(space)) {
        found.push_back({std::move(name)});
    }
    return found;
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
    module.def("named_libraries", &named_libraries, py::arg("space"),
               "List the OMPD libraries that a runtime names by ``ompd_dll_locations``, as it does "
               "once it has started; nothing where memory cannot be read.");
    module.def("environment", &environment, py::arg("space"), py::arg("variable"),
               "Return the environment that the C library's ``environ``, at VARIABLE, leads to; "
               "none where that cannot be read.");
}

void init_proof(py::module_ &module) {
    init_start(module);
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
}

}  // namespace gdb_ompd
