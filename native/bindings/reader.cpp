// SPDX-License-Identifier: Apache-2.0
// The readers of runtimes: what they tell is the model's, or of a type here.
#include "runtimes/reader.hpp"
#include "runtimes/family.hpp"

#include "model_types.hpp"
#include "model_values.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <utility>

namespace gdb_ompd {

namespace {

std::optional<ModelIcv> icv(RuntimeReader &self, const NativeThread &thread,
                            const std::string &name) {
    const auto found = self.icv(thread, name);
    return found ? std::optional(to_icv(*found, 0, "")) : std::nullopt;
}

// How many teams a thread is in, innermost first.
std::vector<ModelMembership> memberships(RuntimeReader &self, const NativeThread &thread) {
    std::vector<ModelMembership> found;
    for (const Membership &one : self.memberships(thread)) {
        found.push_back(to_model(one));
    }
    return found;
}

std::optional<ModelTaskKind> task_kind(RuntimeReader &self, const NativeThread &thread) {
    const auto kind = self.task_kind(thread).value;
    return kind ? std::optional(to_model(*kind)) : std::nullopt;
}

std::optional<py::str> text_of(const std::optional<std::string> &text) {
    return text ? std::optional(to_text(*text)) : std::nullopt;
}

void init_values(py::module_ &module) {
    py::class_<Versions>(module, "Versions", "What a runtime and its library implement.")
        .def_readonly("api", &Versions::api, "OMPD's version, such as 201811.")
        .def_property_readonly(
            "library", [](const Versions &self) { return to_text(self.library); },
            "How the library describes itself.")
        .def_property_readonly(
            "omp", [](const Versions &self) { return self.omp.value; },
            "The runtime's version of OpenMP.")
        .def_property_readonly("omp_text",
                               [](const Versions &self) { return text_of(self.omp_text.value); });
    py::class_<Place>(module, "ThreadNumbers", "What omp_get_... would return in a thread now.")
        .def(py::init<int, int, int, int>(), py::arg("thread_num"), py::arg("team_size"),
             py::arg("level"), py::arg("active_level"))
        .def_readonly("team_num", &Place::team_num, "None where the runtime does not tell.")
        .def_readonly("num_teams", &Place::num_teams)
        .def_readonly("thread_num", &Place::thread_num)
        .def_readonly("team_size", &Place::team_size)
        .def_readonly("level", &Place::level)
        .def_readonly("active_level", &Place::active_level);
}

// What is asked of one thread, in a breakpoint's condition: from memory as it is now.
void def_one_thread(py::class_<RuntimeReader, std::shared_ptr<RuntimeReader>> &reader) {
    reader.def("place", &RuntimeReader::place, py::arg("thread"), "Return None in no team.")
        .def("knows", &RuntimeReader::knows, py::arg("thread"))
        .def("memberships", &memberships, py::arg("thread"), "Return the model's, innermost first.")
        .def("task_kind", &task_kind, py::arg("thread"))
        .def(
            "state",
            [](RuntimeReader &self, const NativeThread &thread) {
                return self.state(thread).value;
            },
            py::arg("thread"), "Return the OMPT state's name without ``ompt_state_``.")
        .def("icv", &icv, py::arg("thread"), py::arg("name"));
}

}  // namespace

void init_reader(py::module_ &module) {
    module.def(
        "runtime_family",
        [](const ElfImage &elf, bool is_executable) -> std::optional<const char *> {
            constexpr std::array<const char *, 3> words{"llvm", "gnu", "other"};
            const auto family = family_of(elf, is_executable);
            return family ? std::optional(words.at(static_cast<std::size_t>(*family)))
                          : std::nullopt;
        },
        py::arg("elf"), py::arg("is_executable"),
        "Return whose the OpenMP runtime in a file is, None for a file without one. An executable "
        "may have it linked into it, and exports nothing then. ValueError for a damaged file.");
    module.def("is_stripped_runtime", &is_stripped_runtime, py::arg("elf"),
               "Tell whether a shared library is LLVM's runtime without what OMPD needs, or GCC's "
               "without names of where its events are.");
    init_values(module);
    py::class_<RuntimeReader, std::shared_ptr<RuntimeReader>> reader(
        module, "RuntimeReader",
        "Reads one OpenMP runtime. What is read at a stop is kept until it ends.");
    reader.def("versions", &RuntimeReader::versions);
    def_one_thread(reader);
}

}  // namespace gdb_ompd
