// SPDX-License-Identifier: Apache-2.0
// What threads wait for, as the public model has it.
#pragma once

#include "stop/stop_waits.hpp"

#include "model_types.hpp"
#include "model_values.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace gdb_ompd {

using ModelWait = Typed<"Wait">;
using ModelCall = Typed<"SystemCall">;
using ModelAts = Typed<"tuple[At, ...]">;
using ModelLocation = Typed<"Location">;
using WaitsByThread = Typed<"dict[int, Wait]">;  // by GDB numbers

inline constexpr auto row_fields =
    fields("Thread", "gdb_num", "kind", "running", "thread_num", "team_size", "level",
           "active_level", "memberships", "region", "idle", "state", "waits_for", "task",
           "location", "outside", "error", "target", "doubts");

inline py::object borrowed(py::handle value) { return py::reinterpret_borrow<py::object>(value); }

// Text of Python's, empty for None, for as long as the object lives.
std::string_view text_in(py::handle text);

// The model's Location, None for no place.
py::object location_of(const PlaceRef &place);

// A lock of the C library's, as model/waits.py names its kind.
py::object lock_name(LockType lock);

// The model's Kind, None for none.
py::object kind_of(code::WaitKind kind);

// A name of the user's: of bytes that are no characters Python has surrogates.
inline py::object name_or_none(const std::optional<std::string> &name) {
    return name ? py::object(to_text(*name, "surrogateescape")) : py::object(py::none());
}
inline py::object text_or_none(const std::string &text) {
    return text.empty() ? py::object(py::none()) : py::object(to_text(text));
}

// Makes the model's values, of what several threads share each once. Nothing that was given goes
// before it does.
class WaitValues {
public:
    ModelWait of(const WaitRef &wait);
    ModelCall of(const OutsideRef &outside);

private:
    std::unordered_map<const void *, py::object> known_;
};

void init_places(py::module_ &module);

}  // namespace gdb_ompd
