// SPDX-License-Identifier: Apache-2.0
#include "places.hpp"

#include "python_names.hpp"

#include <array>
#include <map>
#include <memory>

namespace gdb_ompd {

namespace {

constexpr auto wait_fields =
    fields("model.waits.Wait", "kind", "address", "name", "entry_point", "location", "outside",
           "undeferred", "sink", "library", "in_library");
constexpr auto call_fields = fields("model.waits.SystemCall", "calls_workers", "function", "mutex",
                                    "lock", "owner", "owner_ended", "joins", "is_timed", "sleep",
                                    "taken_by", "semaphore", "readers", "owner_elsewhere");

std::optional<std::string_view> sleep_of(Sleep sleep) {
    switch (sleep) {
    case Sleep::until_woken:
        return "until woken";
    case Sleep::repeats:
        return "repeats";
    case Sleep::none:
        break;
    }
    return std::nullopt;
}

py::object to_wait(const Wait &wait) {
    ModelValue made(type_of<wait_fields>());
    made.set(wait_fields["kind"], kind_of(wait.kind));
    made.set(wait_fields["address"], py::cast(wait.address));
    made.set(wait_fields["name"], name_or_none(wait.name));
    made.set(wait_fields["entry_point"], text_or_none(wait.entry_point));
    made.set(wait_fields["location"], location_of(wait.location));
    made.set(wait_fields["outside"], text_or_none(wait.outside));
    made.set(wait_fields["undeferred"], py::bool_(wait.undeferred));
    made.set(wait_fields["sink"], py::cast(wait.sink));
    made.set(wait_fields["library"], text_or_none(wait.library));
    made.set(wait_fields["in_library"], py::bool_(wait.in_library));
    return made.done();
}

py::object to_call(const SystemCall &call) {
    ModelValue made(type_of<call_fields>());
    made.set(call_fields["calls_workers"], py::bool_(call.calls_workers));
    made.set(call_fields["function"], text_or_none(call.function));
    made.set(call_fields["mutex"], py::cast(call.mutex));
    made.set(call_fields["lock"], lock_name(call.lock));
    made.set(call_fields["owner"], py::cast(call.owner));
    made.set(call_fields["owner_ended"], py::cast(call.owner_ended));
    made.set(call_fields["owner_elsewhere"], py::cast(call.owner_elsewhere));
    made.set(call_fields["joins"], py::cast(call.joins));
    made.set(call_fields["is_timed"], py::bool_(call.is_timed));
    made.set(call_fields["sleep"], py::cast(sleep_of(call.sleep)));
    made.set(call_fields["taken_by"], py::cast(call.taken_by));
    made.set(call_fields["semaphore"], py::cast(call.semaphore));
    made.set(call_fields["readers"], py::int_(call.readers));
    return made.done();
}

}  // namespace

std::string_view text_in(py::handle text) {
    if (text.is_none()) {
        return {};
    }
    py::ssize_t size = 0;
    const char *const bytes = PyUnicode_AsUTF8AndSize(text.ptr(), &size);
    if (bytes == nullptr) {
        throw py::error_already_set();
    }
    return {bytes, static_cast<std::size_t>(size)};
}

py::object lock_name(LockType lock) {
    constexpr std::array names{"pthread mutex", "pthread rwlock", "system lock", "runtime lock",
                               "pthread_once"};
    return word(names.at(static_cast<std::size_t>(lock)));
}

py::object kind_of(code::WaitKind kind) {
    static auto *const known = new std::map<code::WaitKind, py::object>;
    py::object &found = (*known)[kind];
    if (!found) {
        found = kind == code::WaitKind::none
                    ? py::object(py::none())
                    : model_attribute("model.waits.Kind")(std::string(text(kind)));
    }
    return found;
}

ModelWait WaitValues::of(const WaitRef &wait) {
    py::object &found = known_[wait.get()];
    if (!found) {
        found = to_wait(*wait);
    }
    return {found};
}

ModelCall WaitValues::of(const OutsideRef &outside) {
    py::object &found = known_[outside.get()];
    if (!found) {
        found = to_call(outside->call);
    }
    return {found};
}

void init_places(py::module_ &module) {
    py::class_<SourcePlace, std::shared_ptr<SourcePlace>>(
        module, "SourcePlace",
        "A place in the source as the debugger names it. IN_SYSTEM_HEADER tells that its file came "
        "with the compiler or the system, IS_PASSED_OVER that its function starts a stack or is "
        "between the user's code and what that calls.")
        .def(py::init<ModelLocation, bool, bool>(), py::arg("location"),
             py::arg("in_system_header") = false, py::arg("is_passed_over") = false);
    py::class_<ThreadPlace, std::shared_ptr<ThreadPlace>>(module, "ThreadPlace",
                                                          "What a thread's stack shows.")
        .def("__eq__",
             [](const ThreadPlace &one, const ThreadPlace &other) {
                 return to_wait(*one.wait).equal(to_wait(*other.wait)) &&
                        one.in_runtime == other.in_runtime &&
                        one.before_body == other.before_body && one.in_handler == other.in_handler;
             })
        .def_property_readonly(
            "wait", [](const ThreadPlace &place) { return ModelWait(to_wait(*place.wait)); })
        .def_readonly("in_runtime", &ThreadPlace::in_runtime,
                      "Whether it has frames of the runtime and none of the user's, as a worker "
                      "has that is in no task.")
        .def(
            "state",
            [](const ThreadPlace &place, const std::optional<std::string> &recorded, int level) {
                const auto found = state_of(place.shown(), {recorded, false, level});
                return found ? std::optional(std::string(*found)) : std::nullopt;
            },
            py::arg("recorded"), py::arg("level"),
            "Return the OMPT state of the thread, of which its runtime has RECORDED one.");
}

}  // namespace gdb_ompd
