// SPDX-License-Identifier: Apache-2.0
#include "runtimes/llvm/capabilities.hpp"

#include "recovery/lock_table.hpp"
#include "runtimes/llvm/alone.hpp"
#include "runtimes/llvm/llvm_reader.hpp"

#include "elf/address_space.hpp"

#include "model_values.hpp"
#include "runtimes.hpp"

#include <pybind11/functional.h>

namespace gdb_ompd {

namespace {

using GivenPlace = std::pair<std::uint64_t, std::size_t>;

std::map<std::string, GivenPlace> places_of(const llvm::PrivateFields &fields) {
    std::map<std::string, GivenPlace> found;
    for (const auto &[name, place] : fields.places()) {
        found.emplace(name, GivenPlace{place.offset, place.size});
    }
    return found;
}

llvm::PrivateFields with_places(const std::map<std::string, GivenPlace> &given) {
    llvm::PrivateFields::Places places;
    for (const auto &[name, place] : given) {
        places.emplace(name, llvm::FieldPlace{place.first, place.second});
    }
    return llvm::PrivateFields(std::move(places));
}

std::unique_ptr<llvm::Capabilities> make_capabilities(std::shared_ptr<AddressSpace> space,
                                                      llvm::Layout::Values layout,
                                                      const llvm::PrivateFields &fields,
                                                      std::pair<std::uint64_t, std::uint64_t> at,
                                                      const llvm::LlvmReader &reader) {
    const auto table = space->symbol_address(recovery::lock_table, std::nullopt, std::nullopt);
    std::vector<llvm::KnownThread> threads;
    for (const auto &[gdb_num, thread] : reader.omp_threads()) {
        threads.push_back({gdb_num, thread.address, thread.gtid});
    }
    const llvm::RuntimePlaces places{llvm::Layout(std::move(layout)),
                                     fields,
                                     llvm::threads_array(*space),
                                     table,
                                     {TargetAddr{at.first}, TargetAddr{at.second}}};
    return std::make_unique<llvm::Capabilities>(std::move(space), places, threads);
}

std::optional<TaskConstruct> to_construct(const std::optional<llvm::ConstructPlace> &place) {
    return place ? std::optional(TaskConstruct{place->file, place->line}) : std::nullopt;
}

std::vector<TaskView> with_constructs(const llvm::Capabilities &self, std::vector<TaskView> tasks,
                                      llvm::TaskRecords::CodeRanges runtime) {
    std::vector<TargetAddr> addresses;
    std::vector<TaskView *> views;
    for (TaskView &one : tasks) {
        if (one.own.kind == TaskKind::explicit_) {
            addresses.push_back(TargetAddr{one.own.identity});
            views.push_back(&one);
        }
    }
    const auto places = self.constructs(addresses, std::move(runtime));
    for (std::size_t i = 0; i < views.size(); ++i) {
        views[i]->construct = to_construct(places[i]);
    }
    return tasks;
}

WaitingView to_view(const llvm::WaitingTask &task, const std::map<std::uint64_t, int> &regions) {
    const auto number = [&](const std::optional<llvm::RegionKey> &key) {
        const auto at = key ? regions.find(key->team.value + key->nest) : regions.end();
        return at == regions.end() ? std::nullopt : std::optional(at->second);
    };
    const WaitingTaskFacts facts{task.identity.value,
                                 task.where,
                                 task.function,
                                 task.is_final,
                                 task.queue,
                                 task.creator,
                                 task.creator_function,
                                 number(task.creator_region),
                                 task.creator_thread_num,
                                 number(task.region),
                                 task.generated_by.value};
    WaitingView view = to_waiting_task(facts, task.is_tied, 0);
    view.construct = to_construct(task.construct);
    view.creator_construct = to_construct(task.creator_construct);
    return view;
}

// REGIONS are numbers by identity, which is the team's address and which of its nested regions
// it is.
std::optional<WaitingViews> llvm_waiting_views(llvm::Capabilities &self,
                                               llvm::TaskRecords::CodeRanges runtime,
                                               bool schedulers,
                                               const std::map<std::uint64_t, int> &regions) {
    const auto found = self.waiting_tasks(std::move(runtime), schedulers);
    if (!found) {
        return std::nullopt;
    }
    WaitingViews views{{}, found->notes};
    for (const llvm::WaitingTask &task : found->tasks) {
        views.tasks.push_back(to_view(task, regions));
    }
    return views;
}

}  // namespace

void init_capabilities(py::module_ &module) {
    py::class_<llvm::PrivateFields>(
        module, "PrivateFields",
        "Where LLVM's runtime keeps what OMPD does not publish: offset and size in bytes by "
        "``record.field``, in bits for a field of bits, of an enumeration's constant its number.")
        .def(py::init(&with_places), py::arg("places"))
        .def_static("of_debug_information", &llvm::PrivateFields::of_debug_information,
                    py::arg("file"),
                    "Return those that a file's debug information has, None where it has none.")
        .def_static("names", &llvm::PrivateFields::names,
                    "Return the names of all places that are of use.")
        .def_property_readonly("places", &places_of);
    py::class_<Capabilities>(module, "Capabilities",
                             "What OMPD has no word for, as a runtime records it, at one stop.")
        .def("knows", &Capabilities::knows, py::arg("gdb_num"),
             "Tell whether a thread is this runtime's.")
        .def(
            "place",
            [](const Capabilities &self, int gdb_num) {
                const OmpPlace found = self.place(gdb_num);
                return std::pair(found.number, found.partition);
            },
            py::arg("gdb_num"),
            "Return the number of the OpenMP place that a thread is bound to, and the first and "
            "the "
            "last place of its partition; None for what is not known.");
    py::class_<llvm::Capabilities, Capabilities>(
        module, "LlvmCapabilities",
        "The same as LLVM's runtime records it, with more.\n\nBOUNDARY is the thread at a region's "
        "event and the region's team, zeroes if there is none; READER has read the stop's threads. "
        "Each question has a budget of its own: steps, and ``set ompd timeout``.")
        .def(py::init(&make_capabilities), py::arg("space").none(false), py::arg("layout"),
             py::arg("fields"), py::arg("boundary"), py::arg("reader"))
        .def("waiting_tasks", &llvm_waiting_views, py::arg("runtime"), py::arg("schedulers"),
             py::arg("regions"),
             "Return the explicit tasks that no thread executes; None where it is not known where "
             "they are.\n\nRUNTIME is where the runtime's code is; SCHEDULERS tells that the "
             "runtime keeps which task each was begun in (OMPT is on). REGIONS are numbers by "
             "identity.")
        .def("with_constructs", &with_constructs, py::arg("tasks"), py::arg("runtime"),
             "Return TASKS with what the compiler says of explicit tasks' constructs.");
}

}  // namespace gdb_ompd
