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

std::optional<std::uint64_t> to_number(const std::optional<TargetAddr> &address) {
    return address ? std::optional(address->value) : std::nullopt;
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

// Rows as those of RuntimeReader, with what the compiler says of places. REGIONS are numbers by
// identity, which is the team's address and which of its nested regions it is.
py::object waiting_rows(llvm::Capabilities &self, llvm::TaskRecords::CodeRanges runtime,
                        bool schedulers, const std::map<std::uint64_t, int> &regions) {
    const auto found = self.waiting_tasks(std::move(runtime), schedulers);
    if (!found) {
        return py::none();
    }
    const auto number = [&](const std::optional<llvm::RegionKey> &key) {
        const auto at = key ? regions.find(key->team.value + key->nest) : regions.end();
        return at == regions.end() ? py::object(py::none()) : py::object(py::int_(at->second));
    };
    py::list rows;
    for (const llvm::WaitingTask &task : found->tasks) {
        rows.append(py::make_tuple(
            task.identity.value, to_python(task.where), to_number(task.function), task.is_final,
            task.queue, task.creator ? to_python(*task.creator) : py::object(py::none()),
            to_number(task.creator_function), number(task.creator_region), task.creator_thread_num,
            number(task.region), task.generated_by.value, task.is_tied, to_python(task.construct),
            to_python(task.creator_construct)));
    }
    return py::make_tuple(rows, found->notes);
}

}  // namespace

void init_capabilities(py::module_ &module) {
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
        .def("waiting_tasks", &waiting_rows, py::arg("runtime"), py::arg("schedulers"),
             py::arg("regions"))
        .def("constructs", &constructs_of, py::arg("tasks"), py::arg("runtime"));
}

}  // namespace gdb_ompd
