// SPDX-License-Identifier: Apache-2.0
// Why teams have the sizes that they have.
#include "stop/team_size.hpp"
#include "runtimes/settings.hpp"

#include "bindings.hpp"
#include "facts.hpp"

namespace gdb_ompd {

namespace {

std::optional<bool> begins_regions_around(WaitReader &reader, std::uint64_t pc) {
    auto &functions = reader.calls().functions();
    const Module *const module = functions.module_at(pc);
    return module == nullptr ? std::nullopt : std::optional(begins_regions(functions, *module));
}

Typed<"list[str]"> rejected_settings(const Typed<"Mapping[str, str]"> &environment) {
    py::list found;
    for (const auto &[variable, value] : py::dict(environment)) {
        const auto name = gdb_ompd::bytes_of(py::reinterpret_borrow<py::object>(variable));
        const auto text = gdb_ompd::bytes_of(py::reinterpret_borrow<py::object>(value));
        if (is_rejected(name, text)) {
            found.append(variable);
        }
    }
    return {std::move(found)};
}

using Number = std::optional<std::int64_t>;

// CLAUSES: whether the directive has an if clause, and num_threads.
TeamSizeFacts facts_of_size(Number size, std::optional<int> level, std::optional<int> active_around,
                            std::optional<TeamRequest> request, Number nthreads,
                            Number max_active_levels, Number thread_limit, Number processors,
                            Number dynamic, const std::optional<py::str> &environment,
                            bool knows_environment, std::optional<std::pair<bool, bool>> clauses) {
    TeamSizeFacts facts;
    facts.size = size;
    facts.level = level;
    facts.active_around = active_around;
    facts.request = request;
    facts.nthreads = nthreads;
    facts.max_active_levels = max_active_levels;
    facts.thread_limit = thread_limit;
    facts.processors = processors;
    facts.dynamic = dynamic ? std::optional(*dynamic != 0) : std::nullopt;
    if (environment) {
        facts.environment = gdb_ompd::bytes_of(*environment);
    }
    facts.knows_environment = knows_environment;
    if (clauses) {
        std::tie(facts.has_if, facts.has_num_threads) = *clauses;
    }
    return facts;
}

void init_facts_of_size(py::module_ &module) {
    py::class_<TeamRequest>(module, "TeamRequest",
                            "How many threads the user's code asked for where it began a region.")
        .def_readonly("caller", &TeamRequest::caller,
                      "The program counter of the frame whose function began it.")
        .def_readonly("body", &TeamRequest::body,
                      "The outlined function that it gave to the runtime.")
        .def_readonly("is_serialized", &TeamRequest::is_serialized)
        .def_readonly("is_asked", &TeamRequest::is_asked)
        .def_readonly("threads", &TeamRequest::threads)
        .def_readonly("is_constant", &TeamRequest::is_constant);
    py::class_<TeamSizeFacts>(module, "TeamSizeFacts",
                              "What is known of a region and of the ICVs that its team's size is "
                              "of; None for what is not.")
        .def(py::init(&facts_of_size), py::kw_only(), py::arg("size"), py::arg("level"),
             py::arg("active_around"), py::arg("request"), py::arg("nthreads"),
             py::arg("max_active_levels"), py::arg("thread_limit"), py::arg("processors"),
             py::arg("dynamic"), py::arg("environment"), py::arg("knows_environment"),
             py::arg("clauses"));
}

}  // namespace

void init_team_size(py::module_ &module) {
    init_facts_of_size(module);
    py::class_<TeamSize>(module, "SizeOfTeam", "Why a team has its size.")
        .def_property_readonly(
            "rule", [](const TeamSize &size) { return text(size.rule); },
            "A word of ``model.teams.SizeRule``.")
        .def_readonly("is_certain", &TeamSize::is_certain)
        .def_readonly("asked", &TeamSize::asked)
        .def_readonly("limit", &TeamSize::limit)
        .def_readonly("is_notable", &TeamSize::is_notable,
                      "Whether the team is smaller than was asked for.");
    module.def(
        "team_requests",
        [](WholeStacks &stacks, int gdb_num) {
            return team_requests(stacks.reader(), stacks.of(gdb_num));
        },
        py::arg("stacks"), py::arg("gdb_num"),
        "Return what a thread's calls that began regions asked for, the outermost first.");
    module.def("team_size", &team_size, py::arg("facts"), "Return why a team has its size.");
    module.def("begins_regions", &begins_regions_around, py::arg("reader"), py::arg("pc"),
               "Return whether the file around PC calls what begins a region; None where it is not "
               "known.");
    module.def("rejected_settings", &rejected_settings, py::arg("environment"),
               "Return which variables of an environment have values that no runtime takes.");
    module.def("icv_of", &icv_of, py::arg("variable"),
               "Return the ICV that an environment variable sets; empty where that is not known.");
}

}  // namespace gdb_ompd
