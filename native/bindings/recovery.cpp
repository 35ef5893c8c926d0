// SPDX-License-Identifier: Apache-2.0
#include "recovery/recover.hpp"
#include "recovery/target_functions.hpp"

#include "bindings.hpp"

namespace gdb_ompd {

namespace {

void init_target_functions(py::module_ &module) {
    using recovery::TargetFunction;
    using recovery::TargetFunctions;
    py::class_<TargetFunction>(module, "TargetFunction",
                               "A function that clang has made of a target region, or one that is "
                               "called for a device.")
        .def_property_readonly("name", [](const TargetFunction &one) { return to_text(one.name); })
        .def_property_readonly(
            "made_in", [](const TargetFunction &one) { return to_text(one.made_in); },
            "The function that a region is in, as linkers have it.")
        .def_readonly("line", &TargetFunction::line, "The region's.")
        .def_readonly("returns", &TargetFunction::returns,
                      "How far its return instructions are from its begin.");
    py::class_<TargetFunctions>(module, "TargetFunctions",
                                "Where a file's code for target constructs is entered and left.")
        .def_readonly("regions", &TargetFunctions::regions)
        .def_readonly("calls", &TargetFunctions::calls,
                      "For a device, which the file has for others.")
        .def_property_readonly(
            "wanted",
            [](const TargetFunctions &found) {
                std::vector<py::str> names;
                for (const std::string &name : found.wanted) {
                    names.push_back(to_text(name));
                }
                return names;
            },
            "Those that its code calls.")
        .def_readonly("is_of_gcc", &TargetFunctions::is_of_gcc,
                      "Whether its code calls GCC's runtime for target constructs.");
    module.def(
        "target_functions",
        [](const FileName &path) { return recovery::target_functions(path.bytes); },
        py::arg("path"),
        "Find what clang has made of target constructs in a file, and what is called for "
        "devices.\n\nRaises OSError, or ValueError for what is no ELF file or is damaged where it "
        "had to be read.");
}

}  // namespace

void init_recovery(py::module_ &module) {
    init_target_functions(module);
    using recovery::Recovery;
    py::class_<Recovery>(module, "Recovery",
                         "The symbols of a stripped libomp, read from its code. All or nothing.")
        .def_readonly(
            "architecture", &Recovery::architecture,
            "Either ``x86-64`` or ``aarch64``; empty for a processor that is not understood.")
        .def_readonly("symbols", &Recovery::symbols, "By name; empty if the file is refused.")
        .def_readonly("constants", &Recovery::constants,
                      "What ompd_init() stores into each of META_SYMBOLS.")
        .def_readonly("reasons", &Recovery::reasons,
                      "Why the file is refused; empty if it is not.");
    module.def(
        "recover", [](const FileName &path) { return recovery::recover(ElfFile(path.bytes)); },
        py::arg("path"),
        "Find the symbols that OMPD needs in a libomp that was stripped of them; in GCC's runtime "
        "the places of events, several of one name, with what is told of each as "
        "constants.\n\nOnly the file is read. Raises OSError, or ValueError for what is no ELF "
        "file or is damaged where it had to be read.");
}

}  // namespace gdb_ompd
