// SPDX-License-Identifier: Apache-2.0
#include "code/outlined_names.hpp"

#include "bindings.hpp"

#include <functional>

namespace gdb_ompd {

namespace {

using code::Outlined;
using OptionalName = Typed<"Optional[str]">;

struct FunctionName {
    std::string bytes;

    [[nodiscard]] std::optional<Outlined> outlined() const { return code::outlined(bytes); }
};

py::str shown(std::string_view bytes) { return to_text(bytes, "surrogateescape"); }

std::optional<py::str> shown_if(const std::optional<std::string> &bytes) {
    return bytes ? std::optional(shown(*bytes)) : std::nullopt;
}

template <class Is> auto of_outlined(Is is) {
    return [is](const FunctionName &self) {
        const auto found = self.outlined();
        return found && std::invoke(is, *found);
    };
}

template <class Change> auto changed(Change change) {
    return [change](const FunctionName &self) { return shown(change(self.bytes)); };
}

void def_outlined(py::class_<FunctionName> &name) {
    name.def_property_readonly("is_outlined", of_outlined([](const Outlined &) { return true; }),
                               "Whether a compiler has made the function of a construct.")
        .def_property_readonly("is_task_entry", of_outlined(&Outlined::is_task_entry),
                               "Whether the runtime calls the function for a task of clang's.")
        .def_property_readonly(
            "is_region_body", of_outlined(&Outlined::is_region_body),
            "Whether the function is an outlined body, other than what clang calls for a task.")
        .def_property_readonly("is_clangs_body", of_outlined(&Outlined::is_clangs_body),
                               "Whether the function is an outlined body of clang's, or calls one.")
        .def_property_readonly("is_gccs_body", of_outlined(&Outlined::is_gccs_body),
                               "Whether the function is an outlined body of GCC's.")
        .def_property_readonly(
            "is_private_map", of_outlined(&Outlined::is_private_map),
            "Whether a task's body of clang's calls the function to find its private variables.")
        .def_property_readonly(
            "made_in", [](const FunctionName &self) { return shown_if(code::made_in(self.bytes)); },
            "The name, as linkers have it, of the function that a compiler made this one in; empty "
            "where the name does not tell. None for a function that the user wrote. The function "
            "of a target region is a compiler's, too.")
        .def(
            "is_wrapper_of",
            [](const FunctionName &self, const OptionalName &callee) {
                return code::is_wrapper_of(self.bytes, bytes_of(callee));
            },
            py::arg("callee"),
            "Return whether this outlined function only calls the other: a task's entry its body, "
            "or clang's wrapper the body that it makes for debuggers.");
}

}  // namespace

void init_function_names(py::module_ &module) {
    py::class_<FunctionName> name(
        module, "FunctionName",
        "The name of a function, as a linker or a debugger has it. None is no name.");
    name.def(py::init([](const OptionalName &name) { return FunctionName{bytes_of(name)}; }),
             py::arg("name"));
    def_outlined(name);
    name.def_property_readonly("demangled", changed(code::demangled),
                               "The name as C++ has it; of other functions the name itself.")
        .def_property_readonly("without_parameters", changed(code::without_parameters),
                               "The name without a parameter list, as in GDB's frame lines.")
        .def_property_readonly(
            "without_template_arguments", changed(code::without_template_arguments),
            "The name without templates' arguments: ``Box<int>::fill<long>`` is ``Box::fill``.")
        .def_property_readonly(
            "without_type", changed(code::without_type),
            "The name without the return type of a function template's demangled name.")
        .def_property_readonly(
            "without_clone", changed(code::without_clone),
            "The name without what compilers append to the name of a function's copy.")
        .def_property_readonly(
            "fortran_name",
            [](const FunctionName &self) { return shown_if(code::fortran_name(self.bytes)); },
            "What people call the procedure of Fortran's whose symbol this may be, such as "
            "``heat::relax`` for ``__heat_MOD_relax``; None for other symbols.");
}

}  // namespace gdb_ompd
