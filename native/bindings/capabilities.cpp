// SPDX-License-Identifier: Apache-2.0
#include "runtimes/llvm/capabilities.hpp"
#include "runtimes/llvm/alone.hpp"

#include "elf/address_space.hpp"

#include "runtimes.hpp"

#include <pybind11/functional.h>

namespace gdb_ompd {

namespace {

using GivenPlace = std::pair<std::uint64_t, std::size_t>;
using Thread = std::tuple<int, std::uint64_t, std::optional<std::uint64_t>>;

std::map<std::string, GivenPlace> places_of(const llvm::PrivateFields &fields) {
    std::map<std::string, GivenPlace> found;
    for (const auto &[name, place] : fields.places()) {
        found.emplace(name, GivenPlace{place.offset, place.size});
    }
    return found;
}

std::unique_ptr<llvm::Capabilities>
make_capabilities(std::shared_ptr<AddressSpace> space, llvm::Layout::Values layout,
                  const llvm::PrivateFields &fields, std::optional<std::uint64_t> locks,
                  std::pair<std::uint64_t, std::uint64_t> at, const std::vector<Thread> &threads) {
    const auto table = locks ? std::optional(TargetAddr{*locks}) : std::nullopt;
    std::vector<llvm::KnownThread> known;
    known.reserve(threads.size());
    for (const auto &[gdb_num, record, gtid] : threads) {
        known.push_back({gdb_num, TargetAddr{record}, gtid});
    }
    const llvm::RuntimePlaces places{llvm::Layout(std::move(layout)),
                                     fields,
                                     llvm::threads_array(*space),
                                     table,
                                     {TargetAddr{at.first}, TargetAddr{at.second}}};
    return std::make_unique<llvm::Capabilities>(std::move(space), places, known);
}

// A source file's name may be in any charset.
py::object to_python(const std::optional<llvm::ConstructPlace> &place) {
    return place ? py::object(py::make_tuple(to_text(place->file), place->line)) : py::none();
}

std::optional<std::pair<std::uint64_t, int>> to_pair(const std::optional<llvm::RegionKey> &key) {
    return key ? std::optional(std::pair(key->team.value, key->nest)) : std::nullopt;
}

std::optional<std::uint64_t> to_number(const std::optional<TargetAddr> &address) {
    return address ? std::optional(address->value) : std::nullopt;
}

const char *word_for(Whereabouts where) {
    switch (where) {
    case Whereabouts::queued:
        return "queued";
    case Whereabouts::blocked:
        return "blocked on dependences";
    case Whereabouts::suspended:
        return "suspended";
    case Whereabouts::detached:
        return "detached";
    }
    return "";
}

py::list constructs_of(const llvm::Capabilities &self, const std::vector<std::uint64_t> &tasks,
                       llvm::TaskRecords::CodeRanges runtime) {
    std::vector<TargetAddr> addresses;
    addresses.reserve(tasks.size());
    for (const std::uint64_t task : tasks) {
        addresses.push_back(TargetAddr{task});
    }
    py::list found;
    for (const auto &place : self.constructs(addresses, std::move(runtime))) {
        found.append(to_python(place));
    }
    return found;
}

void init_waiting_tasks(py::module_ &module) {
    using Task = llvm::WaitingTask;
    const auto property = [](auto &type, const char *name, auto get) {
        type.def_property_readonly(name, get);
    };
    py::class_<Task> task(module, "WaitingTask");
    property(task, "identity", [](const Task &self) { return self.identity.value; });
    property(task, "where", [](const Task &self) { return word_for(self.where); });
    property(task, "region", [](const Task &self) { return to_pair(self.region); });
    property(task, "function", [](const Task &self) { return to_number(self.function); });
    property(task, "construct", [](const Task &self) { return to_python(self.construct); });
    property(task, "generated_by", [](const Task &self) { return self.generated_by.value; });
    property(task, "creator", [](const Task &self) {
        return self.creator ? to_python(*self.creator) : py::object(py::none());
    });
    property(task, "creator_function",
             [](const Task &self) { return to_number(self.creator_function); });
    property(task, "creator_construct",
             [](const Task &self) { return to_python(self.creator_construct); });
    property(task, "creator_region", [](const Task &self) { return to_pair(self.creator_region); });
    task.def_readonly("queue", &Task::queue)
        .def_readonly("is_final", &Task::is_final)
        .def_readonly("is_tied", &Task::is_tied)
        .def_readonly("creator_thread_num", &Task::creator_thread_num);
    py::class_<llvm::FoundTasks>(module, "FoundTasks")
        .def_readonly("tasks", &llvm::FoundTasks::tasks)
        .def_readonly("notes", &llvm::FoundTasks::notes);
}

}  // namespace

void init_capabilities(py::module_ &module) {
    init_waiting_tasks(module);
    py::class_<llvm::PrivateFields>(module, "PrivateFields")
        .def_static("of_debug_information", &llvm::PrivateFields::of_debug_information,
                    py::arg("file"))
        .def_static("of_build", &llvm::PrivateFields::of_build, py::arg("profile"),
                    py::arg("exports"))
        .def_property_readonly("places", &places_of);
    py::class_<Capabilities>(module, "Capabilities")
        .def("knows", &Capabilities::knows, py::arg("gdb_num"));
    py::class_<llvm::Capabilities, Capabilities>(module, "LlvmCapabilities")
        .def(py::init(&make_capabilities), py::arg("space").none(false), py::arg("layout"),
             py::arg("fields"), py::arg("locks"), py::arg("boundary"), py::arg("threads"))
        .def("waiting_tasks", &llvm::Capabilities::waiting_tasks, py::arg("runtime"),
             py::arg("schedulers"))
        .def("constructs", &constructs_of, py::arg("tasks"), py::arg("runtime"));
}

}  // namespace gdb_ompd
