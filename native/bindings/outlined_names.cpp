// SPDX-License-Identifier: Apache-2.0
#include "code/outlined_names.hpp"

#include "bindings.hpp"

#include <algorithm>
#include <initializer_list>
#include <vector>

namespace gdb_ompd {

namespace {

using code::Made;
using Name = Typed<"Optional[str]">;

py::str name_of(std::string_view bytes) { return to_text(bytes, "surrogateescape"); }

std::optional<py::str> made_in(const Name &name) {
    const std::string bytes = bytes_of(name);
    const auto found = code::outlined(bytes);
    const auto function = found ? std::optional(found->function) : code::function_of_target(bytes);
    return function ? std::optional(name_of(*function)) : std::nullopt;
}

bool is_private_map(const Name &name) {
    const std::string bytes = bytes_of(name);
    const auto found = code::outlined(bytes);
    return found && found->made == Made::helper &&
           bytes.find("omp_task_privates_map") != std::string::npos;
}

}  // namespace

void init_outlined_names(py::module_ &module) {
    const auto is_made = [&](const char *question, std::initializer_list<Made> wanted,
                             const char *text) {
        module.def(
            question,
            [made = std::vector(wanted)](const Name &name) {
                const auto found = code::outlined(bytes_of(name));
                return found && std::ranges::find(made, found->made) != made.end();
            },
            py::arg("name"), text);
    };
    is_made("is_outlined", {Made::body, Made::debug, Made::task, Made::gcc, Made::helper},
            "Tell whether a compiler has made the function of a construct.");
    is_made("is_task_entry", {Made::task},
            "Tell whether NAME is what the runtime calls for a task of clang's.");
    is_made("is_region_body", {Made::body, Made::debug, Made::gcc},
            "Tell whether NAME is an outlined body, other than what clang calls for a task.");
    is_made("is_clangs_body", {Made::body, Made::debug, Made::task},
            "Tell whether NAME is an outlined body of clang's, or calls one.");
    is_made("is_gccs_body", {Made::gcc}, "Tell whether NAME is an outlined body of GCC's.");
    module.def(
        "is_private_map", &is_private_map, py::arg("name"),
        "Tell whether NAME is what a task's body of clang's calls to find its private variables.");
    module.def("made_in", &made_in, py::arg("name"),
               "Return what the name of a compiler's function says of the one that it was made in, "
               "as linkers have it, empty if nothing; None for a function that the user wrote. A "
               "target region's counts as a compiler's, which where there is no device is called "
               "as the user's code would be.");
    module.def(
        "is_wrapper_of",
        [](const Name &caller, const Name &callee) {
            return code::is_wrapper_of(bytes_of(caller), bytes_of(callee));
        },
        py::arg("caller"), py::arg("callee"),
        "Tell whether one outlined function is there only to call the other: a task's entry its "
        "body, or clang's wrapper the body that it makes for debuggers.");
    const auto shorten = [&](const char *how, auto without, const char *text) {
        module.def(
            how, [without](const Typed<"str"> &name) { return name_of(without(bytes_of(name))); },
            py::arg("name"), text);
    };
    shorten("demangled", code::demangled,
            "Return a function's name as C++ has it, by the linker's; others are what they are.");
    shorten("without_parameters", code::without_parameters,
            "Drop a C++ function's parameter list, as GDB's frame lines do.");
    shorten("without_template_arguments", code::without_template_arguments,
            "Drop what follows the names of templates: ``Box<int>::fill<long>`` is ``Box::fill``.");
    shorten("without_type", code::without_type,
            "Drop the return type that a function template's demangled name begins with.");
    shorten("without_clone", code::without_clone,
            "Drop what compilers append to the name of a function of which they have made another "
            "one.");
    module.def(
        "fortran_name",
        [](const Name &symbol) {
            const auto name = code::fortran_name(bytes_of(symbol));
            return name ? std::optional(name_of(*name)) : std::nullopt;
        },
        py::arg("symbol"),
        "Return what people call the procedure of Fortran's whose symbol this may be, such as "
        "``heat::relax`` for ``__heat_MOD_relax``; None for other symbols.");
}

}  // namespace gdb_ompd
