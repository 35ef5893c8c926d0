// SPDX-License-Identifier: Apache-2.0
#include "ompd/library_search.hpp"

#include "bindings.hpp"

#include <tuple>
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

py::tuple found_libraries(const std::optional<FileName> &runtime, const Names &named,
                          const Trust &trust, const Names &places) {
    const auto file = runtime ? std::optional(runtime->bytes) : std::nullopt;
    const Candidates found = find_libraries(file, bytes_of(named), trust, bytes_of(places));
    py::list paths;
    for (const std::string &path : found.paths) {
        paths.append(FileName{path});
    }
    py::list refused;
    for (const auto &[path, real, why] : found.refused) {
        refused.append(py::make_tuple(FileName{path}, FileName{real}, FileName{why}));
    }
    return py::make_tuple(paths, refused);
}

}  // namespace

void init_trust(py::module_ &module) {
    py::class_<Trust>(module, "Trust")
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
    module.def("find_libraries", &found_libraries, py::arg("runtime"), py::arg("named"),
               py::arg("trust"), py::arg("places"));
    module.def(
        "others_hand",
        [](const FileName &path) { return said(others_hand(path.bytes, Hands::of_user())); },
        py::arg("path"));
    module.def(
        "why_unconfirmed",
        [](int process, const FileName &path) {
            return said(why_unconfirmed(process, path.bytes));
        },
        py::arg("process"), py::arg("path"));
}

}  // namespace gdb_ompd
