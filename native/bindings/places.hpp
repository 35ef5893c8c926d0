// SPDX-License-Identifier: Apache-2.0
// What threads wait for, as Python and native code hand it to each other.
#pragma once

#include "stop/thread_state.hpp"

#include "model_types.hpp"
#include "model_values.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace gdb_ompd {

using ModelWait = Typed<"Wait">;
using ModelCall = Typed<"SystemCall">;
using ModelAts = Typed<"tuple[At, ...]">;

inline constexpr auto wait_fields =
    fields("model.waits.Wait", "kind", "address", "name", "entry_point", "location", "outside",
           "undeferred", "sink", "library");
inline constexpr auto call_fields =
    fields("model.waits.SystemCall", "calls_workers", "function", "mutex", "lock", "owner",
           "owner_ended", "joins", "is_timed", "sleep", "taken_by");
inline constexpr auto row_fields =
    fields("Thread", "gdb_num", "kind", "running", "thread_num", "team_size", "level", "region",
           "idle", "state", "waits_for", "task", "location", "outside", "error");

// By GDB numbers.
using PlacesByThread = Typed<"dict[int, ThreadPlace]">;
using CallsByThread = Typed<"dict[int, Outside]">;
using WaitsByThread = Typed<"dict[int, Wait]">;

inline py::object borrowed(py::handle value) { return py::reinterpret_borrow<py::object>(value); }
// Null where VALUES have none of that thread.
template <class T> const T *of_thread(const py::dict &values, const py::object &gdb_num) {
    PyObject *const found = PyDict_GetItemWithError(values.ptr(), gdb_num.ptr());
    return found == nullptr ? nullptr : py::handle(found).cast<const T *>();
}

// Text of Python's, empty for None, for as long as the object lives.
std::string_view text_in(py::handle text);
template <class T> std::optional<T> optional_in(py::handle value) {
    return value.is_none() ? std::nullopt : std::optional(value.cast<T>());
}

// A wait of Python's: its texts live as long as that.
Shown shown_in(const ModelWait &wait, bool in_runtime);
Recorded recorded_in(const GivenModel &thread);

// What a thread's stack shows.
struct ThreadPlace {
    ModelWait wait;
    bool in_runtime = false;   // frames of the runtime and none of the user's: it is in no task
    bool before_body = false;  // such a worker calls the body of its region next
    bool in_handler = false;   // a signal has interrupted it: it is on no way to a region

    // Whether it is in no code of the user's: a worker in no task, or one that has not come to the
    // runtime yet.
    [[nodiscard]] bool is_elsewhere() const;
    [[nodiscard]] Shown shown() const { return shown_in(wait, in_runtime); }
};

// What a thread does outside of the user's code: its wait, completed by the call of the kernel that
// it is in.
struct Outside {
    ModelWait wait;
    ModelCall call;
};

void init_places(py::module_ &module);

}  // namespace gdb_ompd
