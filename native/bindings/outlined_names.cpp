// SPDX-License-Identifier: Apache-2.0
#include "code/outlined_names.hpp"

#include "bindings.hpp"

#include <algorithm>
#include <initializer_list>
#include <vector>

namespace gdb_ompd {

namespace {

using code::Made;

py::str name_of(std::string_view bytes) { return to_text(bytes, "surrogateescape"); }

std::optional<py::str> made_in(const py::object &name) {
    const std::string bytes = bytes_of(name);
    const auto found = code::outlined(bytes);
    const auto function = found ? std::optional(found->function) : code::function_of_target(bytes);
    return function ? std::optional(name_of(*function)) : std::nullopt;
}

bool is_private_map(const py::object &name) {
    const std::string bytes = bytes_of(name);
    const auto found = code::outlined(bytes);
    return found && found->made == Made::helper &&
           bytes.find("omp_task_privates_map") != std::string::npos;
}

}  // namespace

void init_outlined_names(py::module_ &module) {
    const auto is_made = [&](const char *question, std::initializer_list<Made> wanted) {
        module.def(
            question,
            [made = std::vector(wanted)](const py::object &name) {
                const auto found = code::outlined(bytes_of(name));
                return found && std::ranges::find(made, found->made) != made.end();
            },
            py::arg("name"));
    };
    is_made("is_outlined", {Made::body, Made::debug, Made::task, Made::gcc, Made::helper});
    is_made("is_task_entry", {Made::task});
    is_made("is_region_body", {Made::body, Made::debug, Made::gcc});
    is_made("is_clangs_body", {Made::body, Made::debug, Made::task});
    is_made("is_gccs_body", {Made::gcc});
    module.def("is_private_map", &is_private_map, py::arg("name"));
    module.def("made_in", &made_in, py::arg("name"));
    module.def(
        "is_wrapper_of",
        [](const py::object &caller, const py::object &callee) {
            return code::is_wrapper_of(bytes_of(caller), bytes_of(callee));
        },
        py::arg("caller"), py::arg("callee"));
    const auto shorten = [&](const char *how, auto without) {
        module.def(
            how, [without](const py::object &name) { return name_of(without(bytes_of(name))); },
            py::arg("name"));
    };
    shorten("demangled", code::demangled);
    shorten("without_parameters", code::without_parameters);
    shorten("without_template_arguments", code::without_template_arguments);
    shorten("without_type", code::without_type);
    shorten("without_clone", code::without_clone);
    module.def(
        "fortran_name",
        [](const py::object &symbol) {
            const auto name = code::fortran_name(bytes_of(symbol));
            return name ? std::optional(name_of(*name)) : std::nullopt;
        },
        py::arg("symbol"));
}

}  // namespace gdb_ompd
