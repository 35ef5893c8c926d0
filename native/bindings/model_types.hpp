// SPDX-License-Identifier: Apache-2.0
// The named tuples of the public model (gdb_ompd.model), and of facts, made natively.
//
// There are many, and every command asks for all: in Python they took 5 % of "ompd threads
// -no-location" at 64 threads.
#pragma once

#include "bindings.hpp"

#include <algorithm>
#include <array>
#include <stdexcept>
#include <string_view>

namespace gdb_ompd {

// A type with the names of those of its fields that are set here. Another name does not compile.
template <std::size_t N> struct Fields {
    const char *type;
    std::array<std::string_view, N> names;

    consteval std::size_t operator[](std::string_view name) const {
        const auto found = std::ranges::find(names, name);
        return found != names.end() ? static_cast<std::size_t>(found - names.begin())
                                    : throw std::logic_error("no such field");
    }
};
template <typename... Names>
consteval Fields<sizeof...(Names)> fields(const char *type, Names... names) {
    return {type, {names...}};
}

// A type of the model. Raises TypeError if Python's lacks one of the fields.
class ModelType {
public:
    template <std::size_t N>
    explicit ModelType(const Fields<N> &fields) : ModelType(fields.type, fields.names) {}

    [[nodiscard]] std::size_t size() const noexcept { return defaults_.size(); }
    [[nodiscard]] PyTypeObject *type() const noexcept {
        return reinterpret_cast<PyTypeObject *>(type_.ptr());
    }
    // The value of a field that nobody sets: None if the type has no default.
    [[nodiscard]] const py::object &default_at(std::size_t position) const {
        return defaults_[position];
    }
    // Where Python's type has a field.
    [[nodiscard]] std::size_t position(std::size_t field) const { return positions_[field]; }

private:
    ModelType(const char *name, std::span<const std::string_view> names);

    py::object type_;
    std::vector<std::size_t> positions_;  // by field
    std::vector<py::object> defaults_;    // by position
};

// A value of such a type while its fields are set, each at most once.
class ModelValue {
public:
    explicit ModelValue(const ModelType &type);
    // A copy of a value of that type.
    ModelValue(const ModelType &type, const py::tuple &like);

    void set(std::size_t field, const py::object &value);
    [[nodiscard]] py::object done() const { return made_; }

private:
    const ModelType &type_;
    py::object made_;
};

// Each type is looked up once, and kept for as long as Python runs.
template <const auto &Named> const ModelType &type_of() {
    static const auto *const type = new ModelType(Named);
    return *type;
}

// A value of such a type that Python gave.
class GivenModel {
public:
    GivenModel(const ModelType &type, py::handle value) : type_(type), value_(value) {}

    [[nodiscard]] py::handle operator[](std::size_t field) const {
        return PyTuple_GET_ITEM(value_.ptr(), static_cast<py::ssize_t>(type_.position(field)));
    }
    [[nodiscard]] py::handle value() const { return value_; }

private:
    const ModelType &type_;
    py::handle value_;
};

// What the model has by NAME or, with another module of the package in front, that has.
py::object model_attribute(const std::string &name);

// A member of an enumeration of the model, such as "ThreadKind" and "WORKER".
py::object model_word(const char *type, const char *member);

}  // namespace gdb_ompd
