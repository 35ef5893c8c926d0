// SPDX-License-Identifier: Apache-2.0
#include "../src/address_space.hpp"
#include "../src/thread_records.hpp"
#include "../src/unwinder.hpp"

#include "bindings.hpp"

#include <vector>

namespace gdb_ompd {

namespace {

using Place = std::pair<std::uint64_t, std::size_t>;

FieldPlace to_field(const Place &place) { return {place.first, place.second}; }

RecordLayout make_layout(std::uint64_t threads, std::uint64_t info,
                         const std::array<Place, 6> &thread, const std::array<Place, 2> &task) {
    return {TargetAddr{threads}, info,
            to_field(thread[0]), to_field(thread[1]),
            to_field(thread[2]), to_field(thread[3]),
            to_field(thread[4]), to_field(thread[5]),
            to_field(task[0]),   to_field(task[1])};
}

// Whatever keeps one thread from being read is told when it is asked by itself; an
// interrupt by the user is no such thing.
template <class Ask> py::object unless_it_fails(const py::object &otherwise, Ask &&ask) {
    try {
        return ask();
    } catch (py::error_already_set &error) {
        if (!error.matches(PyExc_Exception)) {
            throw;
        }
    } catch (const std::exception &) {
        return otherwise;
    }
    return otherwise;
}

py::object to_tuple(const ThreadRecord &thread) {
    return py::make_tuple(thread.gtid, thread.address.value, thread.pthread_id, thread.thread_num,
                          thread.team, thread.task, thread.state, thread.wait_id, thread.task_flags,
                          thread.task_team);
}

py::list thread_records(AddressSpace &space, const RecordLayout &layout,
                        const std::vector<std::optional<std::uint64_t>> &pointers) {
    py::list found;
    py::object failed = py::tuple();
    for (const auto &pointer : pointers) {
        found.append(unless_it_fails(failed, [&]() -> py::object {
            if (!pointer) {
                return failed;
            }
            const auto thread = read_thread(space, layout, TargetAddr{*pointer});
            return thread ? to_tuple(*thread) : py::none();
        }));
    }
    return found;
}

py::object addresses_of(Unwinder &unwinder, const std::optional<Registers> &registers) {
    return unless_it_fails(py::none(), [&]() -> py::object {
        const auto pcs = registers ? unwinder.addresses(*registers) : std::nullopt;
        if (!pcs) {
            return py::none();
        }
        py::tuple tuple(pcs->size());
        for (std::size_t i = 0; i < pcs->size(); ++i) {
            tuple[i] = (*pcs)[i];
        }
        return tuple;
    });
}

py::list addresses(Unwinder &unwinder, const std::vector<int> &lwps) {
    py::list found;
    for (const int lwp : lwps) {
        found.append(addresses_of(unwinder, thread_registers(lwp)));
    }
    return found;
}

// DWARF's numbers of the registers that addresses_from is given.
constexpr std::array<std::size_t, 8> given{3, 6, 7, 12, 13, 14, 15, 16};
using Given = std::array<std::uint64_t, given.size()>;

py::list addresses_from(Unwinder &unwinder, const std::vector<std::optional<Given>> &threads) {
    py::list found;
    for (const auto &values : threads) {
        std::optional<Registers> registers;
        if (values) {
            registers.emplace();
            for (std::size_t i = 0; i < given.size(); ++i) {
                (*registers)[given[i]] = (*values)[i];
            }
        }
        found.append(addresses_of(unwinder, registers));
    }
    return found;
}

}  // namespace

void init_bulk(py::module_ &module) {
    py::class_<RecordLayout>(module, "RecordLayout")
        .def(py::init(&make_layout), py::arg("threads"), py::arg("info"), py::arg("thread"),
             py::arg("task"));
    module.def("thread_records", &thread_records, py::arg("space"), py::arg("layout"),
               py::arg("thread_pointers"));
    py::class_<Unwinder>(module, "Unwinder")
        .def(py::init([](std::shared_ptr<AddressSpace> space,
                         const std::vector<std::shared_ptr<Module>> &modules,
                         std::vector<Unwinder::Range> foreign) {
                 return std::make_unique<Unwinder>(
                     std::move(space), Modules(modules.begin(), modules.end()), std::move(foreign));
             }),
             py::arg("space").none(false), py::arg("modules"), py::arg("foreign"))
        .def("addresses", &addresses, py::arg("lwps"))
        .def("addresses_from", &addresses_from, py::arg("registers"))
        .def("pass_over", &Unwinder::pass_over, py::arg("pc"));
}

}  // namespace gdb_ompd
