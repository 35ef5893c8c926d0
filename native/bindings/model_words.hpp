// SPDX-License-Identifier: Apache-2.0
// Single facts as values of Python's, as all kinds of values of the public model have them.
#pragma once

#include "base/target.hpp"
#include "model/facts.hpp"

#include "bindings.hpp"
#include "model_types.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace gdb_ompd {

// Where a value is from; null is the library.
inline py::object source_word(const char *source) {
    return source == nullptr ? model_attribute("LIBRARY") : word(source);
}

// The file that tells a runtime from others; "" is that of the only one.
inline py::object file_or_none(const std::string &file) {
    return file.empty() ? py::none() : py::object(to_text(file, "surrogateescape"));
}

inline py::object to_python(const std::string &text) { return word(text.c_str()); }
inline py::object to_python(bool value) { return py::bool_(value); }
inline py::object to_python(int value) { return py::int_(value); }
inline py::object to_python(std::uint64_t value) { return py::int_(value); }
inline py::object to_python(ompd_word_t value) { return py::int_(value); }
inline py::object to_python(TargetAddr address) { return py::int_(address.value); }
py::object to_python(TaskKind kind);
py::object to_python(ThreadKind kind);
template <class T> py::object to_python(const std::optional<T> &value) {
    return value ? to_python(*value) : py::none();
}

}  // namespace gdb_ompd
