// SPDX-License-Identifier: Apache-2.0
// The readers of runtimes: what they tell is the model's, or of a type here.
#include "runtimes/family.hpp"
#include "runtimes/ompd_reader.hpp"

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
    return found ? std::optional(to_icv(*found, 0)) : std::nullopt;
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

constexpr auto given_task_fields = fields("Task", "gdb_num", "task_id", "kind", "scheduling");

TaskView make_task_view(const ModelTask &task, std::optional<std::uint64_t> function,
                        std::optional<int> region) {
    const GivenModel given(type_of<given_task_fields>(), task);
    std::optional<TaskKind> kind;
    for (const TaskKind one : {TaskKind::initial, TaskKind::implicit, TaskKind::explicit_}) {
        kind = to_model(one).is(given[given_task_fields["kind"]]) ? one : kind;
    }
    return {given[given_task_fields["gdb_num"]].cast<int>(),
            {given[given_task_fields["task_id"]].cast<std::uint64_t>(), kind, function,
             given[given_task_fields["scheduling"]].cast<std::optional<int>>()},
            task,
            region,
            {}};
}

using TaskViews = std::vector<TaskView>;
// Functions, 0 for one that is not known, each with the name of what has called it.
using Bodies = std::vector<std::pair<std::uint64_t, std::string>>;

// VIEWS of threads' chains with the functions that the BODIES of their stacks tell.
TaskViews with_functions(TaskViews views,
                         const Typed<"Callable[[int], Sequence[tuple[int, str]]]"> &bodies) {
    std::map<std::uint64_t, std::uint64_t> found;  // other threads' chains lead to a task, too
    for (auto first = views.begin(); first != views.end();) {
        const auto last = std::find_if(first, views.end(), [&](const TaskView &view) {
            return view.gdb_num != first->gdb_num;
        });
        std::vector<ChainTask> chain;
        std::transform(first, last, std::back_inserter(chain),
                       [](const TaskView &view) { return view.own; });
        if (std::ranges::any_of(chain, &ChainTask::has_no_function)) {
            std::vector<CalledBody> called;
            for (const auto &[function, name] : bodies(first->gdb_num).cast<Bodies>()) {
                called.push_back({function, code::entry_point(name)});
            }
            for (const auto &[task, function] : functions_by_stack(chain, called)) {
                found[task] = function;
            }
        }
        first = last;
    }
    for (TaskView &view : views) {
        const auto own = found.find(view.own.identity);
        if (view.own.has_no_function() && own != found.end()) {
            view.own.function = own->second;
        }
    }
    return views;
}

// Tasks that no thread executes with the functions of those that are in threads' CHAINS.
std::vector<WaitingView> suspended_with_functions(std::vector<WaitingView> views,
                                                  const TaskViews &chains) {
    std::map<std::uint64_t, std::uint64_t> known;
    for (const TaskView &view : chains) {
        if (view.own.function) {
            known[view.own.identity] = *view.own.function;
        }
    }
    const auto add = [&](std::optional<std::uint64_t> &function, std::uint64_t identity) {
        const auto own = known.find(identity);
        function = function || own == known.end() ? function : own->second;
    };
    for (WaitingView &view : views) {
        add(view.function, view.identity);
        add(view.creator_function, view.generated_by);
    }
    return views;
}

std::optional<py::str> text_of(const std::optional<std::string> &text) {
    return text ? std::optional(to_text(*text)) : std::nullopt;
}

void init_values(py::module_ &module) {
    py::class_<RegionConstruct>(module, "RegionConstruct",
                                "Where a region's construct is, as far as its runtime knows.")
        .def_readonly("caller", &RegionConstruct::caller,
                      "The return address of the encountering code's call.")
        .def_readonly("function", &RegionConstruct::function, "The outlined function.")
        .def_readonly("primary", &RegionConstruct::primary,
                      "The GDB number of the region's primary thread.");
    py::class_<ConstructPlace>(module, "TaskConstruct",
                               "Where a compiler has said that a task's construct is.")
        .def_property_readonly("file",
                               [](const ConstructPlace &self) { return to_text(self.file); })
        .def_readonly("line", &ConstructPlace::line);
    py::class_<TaskView>(module, "TaskView", "A task that is not placed in the source yet.")
        .def(py::init(&make_task_view), py::arg("task"), py::arg("function"), py::arg("region"))
        .def_readonly("task", &TaskView::task, "The model's, without a place.")
        .def_property_readonly(
            "function", [](const TaskView &view) { return view.own.function; },
            "The outlined function.")
        .def_property_readonly(
            "has_no_function", [](const TaskView &view) { return view.own.has_no_function(); },
            "Whether the runtime does not keep that of an explicit task.")
        .def_readonly("region", &TaskView::region, "The number of the region it belongs to.")
        .def_readonly("construct", &TaskView::construct,
                      "Its construct, where the compiler says it.");
    py::class_<WaitingView>(module, "WaitingView",
                            "A task that no thread executes and that is not placed yet.")
        .def_readonly("task", &WaitingView::task, "The model's, without places.")
        .def_readonly("function", &WaitingView::function, "The outlined function.")
        .def_readonly("construct", &WaitingView::construct,
                      "Its construct, where the compiler says it.")
        .def_readonly("creator_function", &WaitingView::creator_function)
        .def_readonly("creator_region", &WaitingView::creator_region,
                      "The number of its creator's region, if that is an implicit task.")
        .def_readonly("creator_construct", &WaitingView::creator_construct);
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
void def_one_thread(py::class_<RuntimeReader> &reader) {
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
    module.def("with_functions", &with_functions, py::arg("views"), py::arg("bodies"),
               "Return VIEWS of threads' chains with functions that the runtime does not keep. "
               "BODIES of a thread's stack are functions, 0 for one that is not known, and the "
               "names of what has called them.");
    module.def("suspended_with_functions", &suspended_with_functions, py::arg("views"),
               py::arg("chains"),
               "Return VIEWS with the functions of those that are in threads' CHAINS.");
    py::class_<RuntimeReader> reader(
        module, "RuntimeReader",
        "Reads one OpenMP runtime. What is read at a stop is kept until end_stop().");
    reader.def("versions", &RuntimeReader::versions).def("end_stop", &RuntimeReader::end_stop);
    def_one_thread(reader);
    py::class_<OmpdReader, RuntimeReader>(
        module, "OmpdReader", "Reads any runtime by the handles that its OMPD library returns.")
        .def(py::init<std::shared_ptr<Library>, std::shared_ptr<AddressSpace>>(),
             py::arg("library").none(false), py::arg("space").none(false))
        .def("read_from_kernel", &OmpdReader::read_from_kernel, py::arg("process"),
             "Say of which process the kernel gives memory that is data, None if of none.");
}

}  // namespace gdb_ompd
