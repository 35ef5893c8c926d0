// SPDX-License-Identifier: Apache-2.0
#include "ompd/library_search.hpp"

#include "bindings.hpp"

#include <vector>

namespace gdb_ompd {

namespace {

using Names = std::vector<FileName>;

std::vector<std::string> bytes_of(const Names &names) {
    std::vector<std::string> all;
    for (const FileName &name : names) {
        all.push_back(name.bytes);
    }
    return all;
}

std::optional<FileName> said(const std::optional<std::string> &why) {
    return why ? std::optional(FileName{*why}) : std::nullopt;
}

Names names_of(const Candidates &found) {
    Names names;
    names.reserve(found.paths.size());
    for (const std::string &path : found.paths) {
        names.push_back({path});
    }
    return names;
}

template <class T> auto name(std::string T::*member) {
    return [member](const T &self) { return FileName{self.*member}; };
}

Candidates found_libraries(const std::optional<FileName> &runtime, const Names &named,
                           const Trust &trust, const Names &places) {
    const auto file = runtime ? std::optional(runtime->bytes) : std::nullopt;
    return find_libraries(file, bytes_of(named), trust, bytes_of(places));
}

}  // namespace

void init_trust(py::module_ &module) {
    py::class_<Trust>(
        module, "Trust",
        "What decides about files that the program names. SAFE_PATH holds the patterns of GDB's "
        "auto-load safe-path, expanded, FOREIGN the folders whose contents came with the program. "
        "NAME is the one by which the program has its runtime, UNCONFIRMED says why nothing but "
        "the program's memory tells that it executes that file. INSTALLED is where this extension "
        "is, SYSTEM where a distribution, or root, installs libraries.")
        .def(py::init([](const Names &safe_path, const Names &foreign, const FileName &name,
                         const std::optional<FileName> &unconfirmed, const FileName &installed,
                         const Names &system) {
                 const auto why = unconfirmed ? std::optional(unconfirmed->bytes) : std::nullopt;
                 return Trust{bytes_of(safe_path), bytes_of(foreign), name.bytes, why,
                              installed.bytes,     bytes_of(system)};
             }),
             py::arg("safe_path"), py::arg("foreign"), py::arg("name"), py::arg("unconfirmed"),
             py::arg("installed"), py::arg("system"))
        .def(
            "__eq__", [](const Trust &trust, const Trust &other) { return trust == other; },
            py::arg("other"), py::is_operator());
    py::class_<Refused>(module, "RefusedLibrary", "A library that must not be loaded.")
        .def_property_readonly("path", name(&Refused::path))
        .def_property_readonly("file", name(&Refused::real), "What the path leads to.")
        .def_property_readonly("why", name(&Refused::why));
    py::class_<Candidates>(module, "FoundLibraries", "OMPD libraries for a runtime.")
        .def_property_readonly("paths", &names_of, "Of those to load, best first.")
        .def_readonly("refused", &Candidates::refused);
    module.def(
        "find_libraries", &found_libraries, py::arg("runtime"), py::arg("named"), py::arg("trust"),
        py::arg("places"),
        "Find the OMPD libraries for the RUNTIME's file, which names NAMED, beside it and in the "
        "system's PLACES.");
    module.def(
        "others_hand",
        [](const FileName &path) { return said(others_hand(path.bytes, Hands::of_user())); },
        py::arg("path"),
        "Return how somebody other than root and the user could change what is at PATH, or where "
        "it leads; None if nobody can. What does not exist is its folder's matter.");
    module.def(
        "why_unconfirmed",
        [](int process, const FileName &path) {
            return said(why_unconfirmed(process, path.bytes));
        },
        py::arg("process"), py::arg("path"),
        "Return why the kernel does not confirm that PROCESS executes code of the file at PATH "
        "with the rights of the user who runs this debugger, None if it does.");
}

}  // namespace gdb_ompd
