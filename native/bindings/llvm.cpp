// SPDX-License-Identifier: Apache-2.0
#include "runtimes/llvm/corrections.hpp"
#include "runtimes/llvm/llvm_reader.hpp"

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

}  // namespace

void init_llvm(py::module_ &module) {
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
            py::arg("thread"), py::arg("team"))
        .def("omp_threads",
             [](const LlvmReader &self) {
                 py::list rows;
                 for (const auto &[gdb_num, thread] : self.omp_threads()) {
                     rows.append(py::make_tuple(gdb_num, thread.address.value, thread.gtid));
                 }
                 return rows;
             })
        .def("read_from_kernel", &LlvmReader::read_from_kernel, py::arg("process"));
}

}  // namespace gdb_ompd
