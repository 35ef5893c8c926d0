// SPDX-License-Identifier: Apache-2.0
#include "model_types.hpp"

namespace gdb_ompd {

py::object model_attribute(const std::string &name) {
    const std::size_t dot = name.rfind('.');
    const bool is_own = dot == std::string::npos;
    const std::string module = is_own ? "model" : name.substr(0, dot);
    return py::module_::import(("gdb_ompd." + module).c_str())
        .attr(name.substr(is_own ? 0 : dot + 1).c_str());
}

namespace {

// Its fields are not set yet.
py::object allocated(const ModelType &type) {
    auto made = py::reinterpret_steal<py::object>(
        type.type()->tp_alloc(type.type(), static_cast<py::ssize_t>(type.size())));
    if (!made) {
        throw py::error_already_set();
    }
    return made;
}

}  // namespace

ModelType::ModelType(const char *name, std::span<const std::string_view> names)
    : type_(model_attribute(name)) {
    const auto own = type_.attr("_fields").cast<std::vector<std::string>>();
    for (const std::string_view field : names) {
        const auto found = std::ranges::find(own, field);
        if (found == own.end()) {
            throw py::type_error(std::string(name) + " has no field " + std::string(field) +
                                 ": build the native module again");
        }
        positions_.push_back(static_cast<std::size_t>(found - own.begin()));
    }
    const py::dict given = type_.attr("_field_defaults");
    for (const std::string &field : own) {
        const py::str key(field);
        defaults_.push_back(given.contains(key) ? py::object(given[key]) : py::none());
    }
}

ModelValue::ModelValue(const ModelType &type) : type_(type), made_(allocated(type)) {
    for (std::size_t at = 0; at < type.size(); ++at) {
        PyTuple_SET_ITEM(made_.ptr(), static_cast<py::ssize_t>(at),
                         py::object(type.default_at(at)).release().ptr());
    }
}

ModelValue::ModelValue(const ModelType &type, const py::tuple &like)
    : type_(type), made_(allocated(type)) {
    for (std::size_t at = 0; at < type.size(); ++at) {
        PyTuple_SET_ITEM(made_.ptr(), static_cast<py::ssize_t>(at),
                         py::object(like[at]).release().ptr());
    }
}

void ModelValue::set(std::size_t field, const py::object &value) {
    const auto at = static_cast<py::ssize_t>(type_.position(field));
    PyObject *const before = PyTuple_GET_ITEM(made_.ptr(), at);
    PyTuple_SET_ITEM(made_.ptr(), at, py::object(value).release().ptr());
    Py_DECREF(before);
}

py::object model_word(const char *type, const char *member) {
    return model_attribute(type).attr(member);
}

}  // namespace gdb_ompd
