// SPDX-License-Identifier: Apache-2.0
#include "stop/constructs.hpp"

#include "bindings.hpp"

#include <pybind11/functional.h>

#include <memory>
#include <vector>

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

// What a debugger is asked, and the reader of waiting, which must live as long.
class ConstructReader {
public:
    ConstructReader(WaitReader &waits, Debugger debugger)
        : waits_(waits), debugger_(std::move(debugger)) {}

    [[nodiscard]] StackParts read(const std::vector<NamedFrame> &frames) {
        return constructs(waits_, debugger_, frames);
    }
    [[nodiscard]] std::string_view kind(const NamedFrame &body,
                                        const std::vector<NamedFrame> &between,
                                        const std::optional<NamedFrame> &caller) {
        return text(
            RuntimeCalls(waits_, debugger_).kind(body, between, caller ? &*caller : nullptr));
    }

private:
    WaitReader &waits_;
    Debugger debugger_;
};

void init_stack_parts(py::module_ &module) {
    py::class_<NamedFrame>(module, "NamedFrame", "A frame as a debugger has it, inlined ones too.")
        .def(py::init([](const Typed<"str"> &name, const std::string &code, std::uint64_t pc,
                         bool has_line) {
                 return NamedFrame{bytes_of(name), owner(code), pc, has_line};
             }),
             py::arg("name"), py::arg("code"), py::arg("pc"), py::arg("has_line"),
             "CODE is ``user``, ``runtime`` or ``system``. HAS_LINE tells that debug information "
             "has the frame's place in the source.");
    py::class_<Boundary>(module, "CalledBy",
                         "How a segment's outermost frame came to be called. Frames are counted "
                         "from the innermost.")
        .def_property_readonly(
            "kind", [](const Boundary &self) { return text(self.kind); },
            "A word of ``model.stacks.Construct``.")
        .def_property_readonly(
            "begin", [](const Boundary &self) { return self.runtime.begin; },
            "The first of the runtime's frames that called it.")
        .def_property_readonly(
            "end", [](const Boundary &self) { return self.runtime.end; },
            "The frame after the last of them.")
        .def_readonly("place", &Boundary::place, "The user's frame whose call began the construct.")
        .def_readonly("bottom", &Boundary::bottom,
                      "Whether there is no such code, as on a worker's stack.")
        .def_readonly(
            "body", &Boundary::body,
            "The frame of the body of what is no region, where that is no longer executed "
            "itself.")
        .def_readonly("call", &Boundary::call,
                      "Where the call returns to that began a league inside of a target region, "
                      "None for others.")
        .def_readonly("in_creator", &Boundary::in_creator,
                      "Whether the call executes only tasks that its caller has created.");
    py::class_<TaskFrames>(module, "StackSegment", "The frames of one task on a stack.")
        .def_property_readonly("begin", [](const TaskFrames &self) { return self.frames.begin; })
        .def_property_readonly(
            "end", [](const TaskFrames &self) { return self.frames.end; },
            "The frame after the last one.")
        .def_readonly("called_by", &TaskFrames::boundary, "None where the stack begins.");
    py::class_<StackParts>(module, "StackParts", "What the frames of a stack are there for.")
        .def_property_readonly(
            "inside", [](const StackParts &self) { return self.inside.end; },
            "How many of the innermost frames the user's innermost function has called.")
        .def_readonly("system", &StackParts::system, "How many of these are the system's.")
        .def_readonly("segments", &StackParts::segments, "Innermost first.")
        .def_readonly("hidden", &StackParts::hidden,
                      "The frames of segments that are the runtime's or a compiler's.");
}

}  // namespace

void init_constructs(py::module_ &module) {
    init_stack_parts(module);
    py::class_<ConstructReader>(module, "ConstructReader",
                                "Finds the constructs on a thread's stack.\n\nIS_LEFT_BY_JUMP is "
                                "``SourceMap``'s. IS_OF_TASK tells whether an explicit task of "
                                "the thread has jumped to the function at a pc.")
        .def(py::init([](WaitReader &waits,
                         const Typed<"Callable[[int, str], bool]"> &is_left_by_jump,
                         std::function<bool(std::uint64_t, int)> is_of_task) {
                 const auto left = [is_left_by_jump](std::uint64_t at, const std::string &inside) {
                     const py::str name = to_text(inside, "surrogateescape");
                     return is_left_by_jump(at, name).cast<bool>();
                 };
                 return std::make_unique<ConstructReader>(waits,
                                                          Debugger{left, std::move(is_of_task)});
             }),
             py::arg("waits"), py::arg("is_left_by_jump"), py::arg("is_of_task"),
             py::keep_alive<1, 2>())
        .def("read", &ConstructReader::read, py::arg("frames"),
             "Return the parts of a stack with these FRAMES, innermost first.")
        .def("kind", &ConstructReader::kind, py::arg("body"), py::arg("between"), py::arg("caller"),
             "Return what the runtime, whose frames are BETWEEN, has called BODY for.");
}

}  // namespace gdb_ompd
