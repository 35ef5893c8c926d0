// SPDX-License-Identifier: Apache-2.0
#include "elf/address_space.hpp"
#include "runtimes/llvm/corrections.hpp"
#include "runtimes/llvm/environment.hpp"
#include "runtimes/llvm/llvm_reader.hpp"
#include "runtimes/llvm/proof.hpp"
#include "runtimes/llvm/start.hpp"
#include "runtimes/llvm/walk.hpp"

#include "runtimes.hpp"

namespace gdb_ompd {

namespace {

py::list corrections() {
    py::list rows;
    for (const llvm::Correction *rule : llvm::all_corrections()) {
        rows.append(py::make_tuple(rule->name, rule->fault, rule->right));
    }
    return rows;
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

py::list named_libraries(AddressSpace &space) {
    py::list found;
    for (const std::string &name : llvm::named_libraries(space)) {
        found.append(py::bytes(name));
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

py::dict environment(AddressSpace &space, const py::int_ &variable) {
    py::dict found;
    try {
        const auto at = to_address(variable);
        for (const auto &[name, value] : llvm::environment_at(llvm::Memory(space), at)) {
            found[py::cast(FileName{name})] = FileName{value};
        }
    } catch (const llvm::Unreadable &) {
        return {};
    }
    return found;
}

py::list violations_of(const llvm::Walk &walk) {
    py::list lines;
    for (const std::string &line : walk.violations) {
        lines.append(to_text(line));
    }
    return lines;
}

void init_start(py::module_ &module) {
    module.def(
        "missing_symbols",
        [](const ElfImage &elf) {
            const auto missing = llvm::missing_symbols(elf);
            return py::make_tuple(missing.names, missing.is_stripped);
        },
        py::arg("elf"));
    module.def(
        "runtime_state",
        [](AddressSpace &space, std::optional<int> process) {
            const KernelReads reads(space.cache(), process);
            return word_for(llvm::runtime_state(space));
        },
        py::arg("space"), py::arg("process"));
    module.def("has_named_libraries", &llvm::has_named_libraries, py::arg("space"));
    module.def("named_libraries", &named_libraries, py::arg("space"));
    module.def("events_enabled", &llvm::events_enabled, py::arg("space"));
    module.def("keeps_records", &llvm::keeps_records, py::arg("space"));
    module.def("enable_events", &llvm::enable_events, py::arg("space"));
    module.def("disable_events", &llvm::disable_events, py::arg("space"));
    module.def("environment", &environment, py::arg("space"), py::arg("variable"));
    module.def("was_started_with", &was_started_with, py::arg("space"), py::arg("variable"));
    module.def(
        "check_settings",
        [](AddressSpace &space, llvm::Layout::Values layout) {
            llvm::check_settings(space, llvm::Layout(std::move(layout)));
        },
        py::arg("space"), py::arg("layout"));
}

void init_proof(py::module_ &module) {
    init_start(module);
    module.def("prove_constants", &llvm::prove_constants, py::arg("space"), py::arg("module"),
               py::arg("constants"));
    module.def(
        "prove_symbols",
        [](AddressSpace &space, const Module &mapped, const llvm::Layout::Values &constants,
           const std::vector<NativeThread> &threads) {
            return llvm::prove_symbols(space, mapped, constants, threads);
        },
        py::arg("space"), py::arg("module"), py::arg("constants"), py::arg("threads"));
    module.def(
        "walk_records",
        [](AddressSpace &space, llvm::Layout::Values layout,
           const std::vector<NativeThread> &threads) {
            const llvm::Layout judged(std::move(layout));
            const auto walk = llvm::walk_records(space, judged, threads);
            return py::make_tuple(violations_of(walk), walk.checked);
        },
        py::arg("space"), py::arg("layout"), py::arg("threads"));
}

}  // namespace

void init_llvm(py::module_ &module) {
    init_proof(module);
    using llvm::LlvmReader;
    module.def(
        "llvm_layout", [](AddressSpace &space) { return llvm::Layout::read(space).values(); },
        py::arg("space"));
    module.def("llvm_corrections", &corrections);
    py::class_<LlvmReader, OmpdReader>(module, "LlvmReader")
        .def(py::init<std::shared_ptr<Library>, std::shared_ptr<AddressSpace>>(),
             py::arg("library").none(false), py::arg("space").none(false))
        .def("set_corrections", &LlvmReader::set_corrections, py::arg("on"))
        .def(
            "set_boundary",
            [](LlvmReader &self, std::uint64_t thread, std::uint64_t team) {
                self.set_boundary({TargetAddr{thread}, TargetAddr{team}});
            },
            py::arg("thread"), py::arg("team"));
}

}  // namespace gdb_ompd
