// SPDX-License-Identifier: Apache-2.0
// What threads wait for, and their states.
#include "places.hpp"

#include <map>
#include <set>
#include <tuple>
#include <vector>

namespace gdb_ompd {

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

Shown shown_in(const ModelWait &wait, bool in_runtime) {
    const GivenModel given(type_of<wait_fields>(), wait);
    return {code::wait_kind(text_in(given[wait_fields["kind"]])),
            text_in(given[wait_fields["entry_point"]]), text_in(given[wait_fields["outside"]]),
            in_runtime};
}

namespace {

constexpr auto waited_fields = fields("WaitsFor", "kind", "address", "name");

// A wait of which nothing else is known: the same object each time.
ModelWait wait_of_kind(code::WaitKind kind) {
    static auto *const known = new std::map<code::WaitKind, py::object>;
    py::object &found = (*known)[kind];
    if (!found) {
        ModelValue made(type_of<wait_fields>());
        made.set(wait_fields["kind"], model_attribute("model.waits.Kind")(std::string(text(kind))));
        found = made.done();
    }
    return found;
}

// What a thread at a PLACE waits for, of which the runtime's records tell that it is so SHOWN.
ModelWait to_wait(const Shown &shown, const ThreadPlace &place) {
    const Shown before = place.shown();
    if (shown.kind != before.kind) {
        return wait_of_kind(shown.kind);
    }
    if (shown.entry_point != before.entry_point) {
        ModelValue made(type_of<wait_fields>(), py::tuple(place.wait));
        made.set(wait_fields["entry_point"], word(std::string(shown.entry_point).c_str()));
        return made.done();
    }
    return place.wait;
}

}  // namespace

Recorded recorded_in(const GivenModel &thread) {
    const py::handle state = thread[row_fields["state"]];
    return {state.is_none() ? std::nullopt : std::optional(text_in(state)),
            thread[row_fields["idle"]].cast<bool>(), optional_in<int>(thread[row_fields["level"]])};
}

bool ThreadPlace::is_elsewhere() const {
    const GivenModel given(type_of<wait_fields>(), wait);
    return in_runtime || (given[wait_fields["kind"]].is_none() &&
                          given[wait_fields["location"]].is_none() && !in_handler);
}

namespace {

using KnownThreads = Typed<"Callable[[], dict[int, Thread]]">;
using Tell = Typed<"Callable[[], bool]">;

// Each thread's wait, by number. KNOWN are those of OpenMP's, IS_EARLY tells whether the runtime
// begins its first region, IN_REGION whether a region is under way as far as stacks tell.
class WaitsOf {
public:
    WaitsOf(py::function known, py::function is_early, py::function in_region)
        : ask_known_(std::move(known)), ask_early_(std::move(is_early)),
          ask_in_region_(std::move(in_region)) {}

    ModelWait of(const py::object &number, const ThreadPlace &place) {
        const Shown shown = place.shown();
        const bool elsewhere = place.is_elsewhere();
        if (!elsewhere) {
            if (!is_barrier(shown.kind) || !asked(is_early_, ask_early_)) {
                return place.wait;
            }
            ModelValue made(type_of<wait_fields>(), py::tuple(place.wait));
            made.set(wait_fields["kind"], py::none());
            return made.done();
        }
        const auto row = thread(number);
        if (row) {
            const GivenModel given(type_of<row_fields>(), *row);
            const Recorded recorded = recorded_in(given);
            if (!place.in_runtime) {  // it begins, or is about to end
                return recorded.idle ? wait_of_kind(code::WaitKind::idle) : place.wait;
            }
            return to_wait(shown_of(shown, recorded), place);
        }
        if (!place.in_runtime) {
            return place.wait;
        }
        return wait_of_kind(asked(in_region_, ask_in_region_)
                                ? code::WaitKind::idle_or_region_barrier
                                : code::WaitKind::idle);
    }

private:
    std::optional<py::object> thread(const py::object &number) {
        if (!known_) {
            known_ = py::dict(ask_known_());
        }
        return known_->contains(number) ? std::optional<py::object>((*known_)[number])
                                        : std::nullopt;
    }
    static bool asked(std::optional<bool> &known, const py::function &ask) {
        if (!known) {
            known = ask().cast<bool>();
        }
        return *known;
    }

    py::function ask_known_, ask_early_, ask_in_region_;
    std::optional<py::dict> known_;
    std::optional<bool> is_early_, in_region_;
};

WaitsByThread waits_of(const std::vector<py::object> &gdb_nums, const PlacesByThread &places,
                       const KnownThreads &known, const Tell &is_early, const Tell &in_region) {
    WaitsOf waits(known, is_early, in_region);
    py::dict found;
    for (const py::object &number : gdb_nums) {
        found[number] = waits.of(number, *of_thread<ThreadPlace>(places, number));
    }
    return {found};
}

py::object to_waits_for(const ModelWait &wait) {
    const GivenModel given(type_of<wait_fields>(), wait);
    const std::string_view kind = text_in(given[wait_fields["kind"]]);
    if (kind.empty()) {
        return py::none();
    }
    ModelValue made(type_of<waited_fields>());
    made.set(waited_fields["kind"], word(std::string(kind).c_str()));
    made.set(waited_fields["address"], borrowed(given[wait_fields["address"]]));
    made.set(waited_fields["name"], borrowed(given[wait_fields["name"]]));
    return made.done();
}

py::object optional_word(std::optional<std::string_view> text) {
    return text ? word(std::string(*text).c_str()) : py::none();
}

// The function that a thread is in outside of the user's code.
py::object function_of(const Outside &outside) {
    const GivenModel call(type_of<call_fields>(), outside.call);
    const GivenModel wait(type_of<wait_fields>(), outside.wait);
    const py::handle named = call[call_fields["function"]];
    return borrowed(text_in(named).empty() ? wait[wait_fields["outside"]] : named);
}

// The mutex that it waits for there, as a listing has it.
py::object mutex_of(const Outside &outside) {
    const GivenModel call(type_of<call_fields>(), outside.call);
    const GivenModel wait(type_of<wait_fields>(), outside.wait);
    if (call[call_fields["mutex"]].is_none()) {
        return py::none();
    }
    ModelValue made(type_of<waited_fields>());
    made.set(waited_fields["kind"], borrowed(call[call_fields["lock"]]));
    made.set(waited_fields["address"], borrowed(call[call_fields["mutex"]]));
    made.set(waited_fields["name"], borrowed(wait[wait_fields["name"]]));
    return made.done();
}

// Threads as a listing has them, and how of some stack and runtime differ.
struct CompletedThreads {
    ModelThreads threads;
    std::map<int, std::string> disagreements;
};

class Completing {
public:
    Completing(const PlacesByThread &places, const CallsByThread &calls)
        : places_(places), calls_(calls) {}

    py::object completed(const py::object &thread, std::map<int, std::string> &differ) {
        const GivenModel row(type_of<row_fields>(), thread);
        const bool passes =
            row[row_fields["running"]].cast<bool>() || row[row_fields["idle"]].cast<bool>();
        if (passes) {
            return thread;  // an idle worker has no frame of the user's
        }
        const auto number = borrowed(row[row_fields["gdb_num"]]);
        const auto &place = *of_thread<ThreadPlace>(places_, number);
        const auto *const outside = of_thread<Outside>(calls_, number);
        const GivenModel wait(type_of<wait_fields>(), place.wait);
        ModelValue made(type_of<row_fields>(), py::tuple(thread));
        made.set(row_fields["location"], borrowed(wait[wait_fields["location"]]));
        const Shown shown = place.shown();
        if (row[row_fields["level"]].is_none() && !is_omp(row[row_fields["kind"]])) {
            // GCC's runtime lets any thread wait for a lock of OpenMP's.
            if (is_mutex(shown.kind)) {
                made.set(row_fields["waits_for"], to_waits_for(place.wait));
            }
        } else {
            Recorded recorded = recorded_in(row);
            const std::string why = disagreement(shown, recorded);
            if (!why.empty()) {
                differ[number.cast<int>()] = why;
            }
            made.set(row_fields["state"], optional_word(state_of(shown, recorded)));
            made.set(row_fields["waits_for"],
                     to_waits_for(to_wait(shown_of(shown, recorded), place)));
        }
        if (outside != nullptr) {
            made.set(row_fields["waits_for"], mutex_of(*outside));
        }
        made.set(row_fields["outside"], outside != nullptr ? function_of(*outside) : py::none());
        return made.done();
    }

private:
    static bool is_omp(py::handle kind) {
        const std::string_view word = text_in(kind);
        return word == "initial" || word == "worker";
    }

    py::dict places_, calls_;
};

CompletedThreads completed(const ModelThreads &threads, const PlacesByThread &places,
                           const CallsByThread &calls) {
    Completing completing(places, calls);
    CompletedThreads found;
    const auto given = py::tuple(threads);
    py::tuple made(given.size());
    for (std::size_t at = 0; at < given.size(); ++at) {
        made[at] = completing.completed(given[at], found.disagreements);
    }
    found.threads = made;
    return found;
}

}  // namespace

void init_places(py::module_ &module) {
    py::class_<ThreadPlace>(
        module, "ThreadPlace",
        "What a thread's stack shows. IN_RUNTIME tells that it has frames of the runtime and none "
        "of the user's, as a worker has that is in no task. BEFORE_BODY tells of such a worker "
        "that what it is in calls the body of its region next, IN_HANDLER that a signal has "
        "interrupted it: what it is in since is no way to a region.")
        .def(py::init<ModelWait, bool, bool, bool>(), py::arg("wait"),
             py::arg("in_runtime") = false, py::arg("before_body") = false,
             py::arg("in_handler") = false)
        .def("__eq__",
             [](const ThreadPlace &one, const ThreadPlace &other) {
                 return one.wait.equal(other.wait) && one.in_runtime == other.in_runtime &&
                        one.before_body == other.before_body && one.in_handler == other.in_handler;
             })
        .def_readonly("wait", &ThreadPlace::wait)
        .def_readonly("in_runtime", &ThreadPlace::in_runtime)
        .def_readonly("before_body", &ThreadPlace::before_body)
        .def_property_readonly("is_elsewhere", &ThreadPlace::is_elsewhere,
                               "Whether the thread is in no code of the user's: a worker in no "
                               "task, or one that has not come to the runtime yet.")
        .def(
            "with_wait",
            [](ThreadPlace place, const ModelWait &wait) {
                place.wait = wait;
                return place;
            },
            py::arg("wait"))
        .def(
            "state",
            [](const ThreadPlace &place, const std::optional<std::string> &recorded, int level) {
                const auto found = state_of(place.shown(), {recorded, false, level});
                return found ? std::optional(std::string(*found)) : std::nullopt;
            },
            py::arg("recorded"), py::arg("level"),
            "Return the OMPT state of the thread, of which its runtime has RECORDED one.");
    py::class_<Outside>(module, "Outside",
                        "What a thread does outside of the user's code: its wait, completed by "
                        "the call of the kernel that it is in.")
        .def(py::init<ModelWait, ModelCall>(), py::arg("wait"), py::arg("call"))
        .def_readonly("wait", &Outside::wait)
        .def_readonly("call", &Outside::call);
    py::class_<CompletedThreads>(module, "CompletedThreads", "Threads as a listing has them.")
        .def_readonly("threads", &CompletedThreads::threads)
        .def_readonly("disagreements", &CompletedThreads::disagreements,
                      "How stack and runtime differ, by GDB number.");
    module.def("completed", &completed, py::arg("threads"), py::arg("places"), py::arg("calls"),
               "Return THREADS with where they are and what they do outside of the user's code, "
               "and with states that the runtime does not record.");
    module.def("waits_of", &waits_of, py::arg("gdb_nums"), py::arg("places"), py::arg("known"),
               py::arg("is_early"), py::arg("in_region"),
               "Return what threads wait for, by number. KNOWN gives those of OpenMP's, IS_EARLY "
               "tells whether the runtime begins its first region, IN_REGION whether a region is "
               "under way as far as stacks tell.");
}

}  // namespace gdb_ompd
