// SPDX-License-Identifier: Apache-2.0
#include "stop/constructs.hpp"

#include "bindings.hpp"

#include <pybind11/functional.h>

#include <memory>
#include <tuple>

namespace gdb_ompd {

namespace {

// Whose code it is, by the text that CodeMap.code_at gives.
code::Owner owner(const std::string &name) {
    for (const code::Owner one : {code::Owner::user, code::Owner::runtime}) {
        if (code::text(one) == name) {
            return one;
        }
    }
    return code::Owner::system;
}

// Its name, whose code it is, its program counter, and whether its line is known.
using NamedGiven = std::tuple<Typed<"str">, std::string, std::uint64_t, bool>;

NamedFrame named(const NamedGiven &given) {
    const auto &[name, code, pc, has_line] = given;
    return {bytes_of(name), owner(code), pc, has_line};
}

std::vector<NamedFrame> all_named(const std::vector<NamedGiven> &given) {
    std::vector<NamedFrame> found;
    found.reserve(given.size());
    for (const NamedGiven &one : given) {
        found.push_back(named(one));
    }
    return found;
}

// KIND, the runtime's frames, PLACE, BOTTOM, BODY and IN_CREATOR.
py::object to_tuple(const std::optional<Boundary> &boundary) {
    if (!boundary) {
        return py::none();
    }
    const FrameRange &runtime = boundary->runtime;
    return py::make_tuple(text(boundary->kind), runtime.begin, runtime.end, boundary->place,
                          boundary->bottom, boundary->body, boundary->in_creator);
}

// What a debugger is asked, and the reader of waiting, which must live as long.
class ConstructReader {
public:
    ConstructReader(WaitReader &waits, Debugger debugger)
        : waits_(waits), debugger_(std::move(debugger)) {}

    using Parts = Typed<"tuple[int, int, list[tuple[int, int, Optional[tuple[str, int, int, "
                        "Optional[int], bool, Optional[int], bool]]]], list[int]]">;
    [[nodiscard]] Parts read(const std::vector<NamedGiven> &given) {
        const StackParts parts = constructs(waits_, debugger_, all_named(given));
        py::list segments;
        for (const TaskFrames &one : parts.segments) {
            segments.append(
                py::make_tuple(one.frames.begin, one.frames.end, to_tuple(one.boundary)));
        }
        return {py::make_tuple(parts.inside.end, parts.system, segments, parts.hidden)};
    }

    [[nodiscard]] std::string_view kind(const NamedGiven &body,
                                        const std::vector<NamedGiven> &between,
                                        const std::optional<NamedGiven> &caller) {
        const auto by = caller ? std::optional(named(*caller)) : std::nullopt;
        return text(RuntimeCalls(waits_, debugger_)
                        .kind(named(body), all_named(between), by ? &*by : nullptr));
    }

private:
    WaitReader &waits_;
    Debugger debugger_;
};

}  // namespace

void init_constructs(py::module_ &module) {
    py::class_<ConstructReader>(
        module, "ConstructReader",
        "What tells the constructs on a thread's stack. IS_GNUS tells whether code is that of "
        "GCC's runtime, IS_LEFT_BY_JUMP is ``SourceMap``'s, IS_OF_TASK tells whether an explicit "
        "task of the thread's has gone on by a jump to the function at a pc.")
        .def(py::init([](WaitReader &waits, std::function<bool(std::uint64_t)> is_gnus,
                         const Typed<"Callable[[int, str], bool]"> &is_left_by_jump,
                         std::function<bool(std::uint64_t)> is_of_task) {
                 const auto left = [is_left_by_jump](std::uint64_t at, const std::string &inside) {
                     const py::str name = to_text(inside, "surrogateescape");
                     return is_left_by_jump(at, name).cast<bool>();
                 };
                 return std::make_unique<ConstructReader>(
                     waits, Debugger{std::move(is_gnus), left, std::move(is_of_task)});
             }),
             py::arg("waits"), py::arg("is_gnus"), py::arg("is_left_by_jump"),
             py::arg("is_of_task"), py::keep_alive<1, 2>())
        .def("read", &ConstructReader::read, py::arg("frames"),
             "Return how many of a thread's FRAMES, innermost first, are those that the user's "
             "innermost has called, of these how many are the system's, where the segments begin "
             "and end, each with its boundary, and which of their frames are hidden. A boundary is "
             "KIND, where the runtime's frames begin and end, PLACE, BOTTOM, BODY and IN_CREATOR: "
             "see model.stacks; frames are told by their numbers.")
        .def("kind", &ConstructReader::kind, py::arg("body"), py::arg("between"), py::arg("caller"),
             "Return what the runtime, whose frames are BETWEEN, has called BODY for.");
}

}  // namespace gdb_ompd
