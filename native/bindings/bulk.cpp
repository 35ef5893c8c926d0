// SPDX-License-Identifier: Apache-2.0
#include "bindings.hpp"

#include <vector>

namespace gdb_ompd {

namespace {

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

}  // namespace

void init_bulk(py::module_ &module) {
    module.def("instances", &instances, py::arg("type"), py::arg("rows"));
}

}  // namespace gdb_ompd
