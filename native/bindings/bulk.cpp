// SPDX-License-Identifier: Apache-2.0
#include "elf/address_space.hpp"
#include "unwind/unwinder.hpp"

#include "bindings.hpp"

#include <algorithm>
#include <vector>

namespace gdb_ompd {

namespace {

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

// Instances of a frozen dataclass with slots: its own constructor sets each field by a call.
py::list instances(const py::type &type, const py::list &rows) {
    auto *const made_of = reinterpret_cast<PyTypeObject *>(type.ptr());
    std::vector<py::object> slots;
    for (const py::handle name : type.attr("__slots__")) {
        slots.push_back(type.attr(name));
    }
    py::list found(rows.size());
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const auto values = py::cast<py::tuple>(rows[i]);
        if (values.size() != slots.size()) {
            throw py::value_error("a row must have a value for each field");
        }
        auto made = py::reinterpret_steal<py::object>(made_of->tp_alloc(made_of, 0));
        if (!made) {
            throw py::error_already_set();
        }
        for (std::size_t field = 0; field < slots.size(); ++field) {
            const auto set = Py_TYPE(slots[field].ptr())->tp_descr_set;
            if (set == nullptr ||
                set(slots[field].ptr(), made.ptr(), PyTuple_GET_ITEM(values.ptr(), field)) != 0) {
                throw py::error_already_set();
            }
        }
        found[i] = std::move(made);
    }
    return found;
}

py::object addresses_of(Unwinder &unwinder, const std::optional<Registers> &registers,
                        std::optional<int> process = {}, bool whole = false) {
    return unless_it_fails(py::none(), [&]() -> py::object {
        const auto pcs = registers ? unwinder.addresses(*registers, process, whole) : std::nullopt;
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

py::list addresses(Unwinder &unwinder, const std::vector<int> &lwps, std::optional<int> process,
                   bool whole) {
    py::list found;
    for (const int lwp : lwps) {
        found.append(addresses_of(unwinder, thread_registers(lwp), process, whole));
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
    module.def("instances", &instances, py::arg("type"), py::arg("rows"));
    py::class_<Unwinder>(module, "Unwinder")
        .def(py::init([](std::shared_ptr<AddressSpace> space,
                         const std::vector<std::shared_ptr<Module>> &modules,
                         std::vector<Unwinder::Range> foreign) {
                 return std::make_unique<Unwinder>(
                     std::move(space), Modules(modules.begin(), modules.end()), std::move(foreign));
             }),
             py::arg("space").none(false), py::arg("modules"), py::arg("foreign"))
        .def("addresses", &addresses, py::arg("lwps"), py::arg("process") = py::none(),
             py::arg("whole") = false)
        .def("addresses_from", &addresses_from, py::arg("registers"))
        .def("pass_over", &Unwinder::pass_over, py::arg("pc"));
}

}  // namespace gdb_ompd
