// SPDX-License-Identifier: Apache-2.0
#include "stop/loops.hpp"

#include "model_stop.hpp"

namespace gdb_ompd {

namespace {

const char *schedule_name(LoopSchedule schedule) {
    switch (schedule) {
    case LoopSchedule::fixed:
        return "static";
    case LoopSchedule::dynamic:
    case LoopSchedule::stolen:
        return "dynamic";
    case LoopSchedule::guided:
        return "guided";
    case LoopSchedule::unknown:
        break;
    }
    return "";
}

}  // namespace

void init_loops(py::module_ &module) {
    py::class_<ThreadLoop>(
        module, "ThreadLoop",
        "What a thread executes of a worksharing loop, in values of what the compiler counts it "
        "with: of clang's code mostly iterations from 0 on, of GCC's the user's variable. What is "
        "not known is None.")
        .def_readonly("pc", &ThreadLoop::pc, "Of the frame that is in the loop.")
        .def_readonly("begun_at", &ThreadLoop::begun_at,
                      "The call that begins it, or by which the thread got what it executes.")
        .def_readonly("asks", &ThreadLoop::asks,
                      "Whether the thread is in the call by which it gets what it executes.")
        .def_readonly("is_inferred", &ThreadLoop::is_inferred,
                      "Whether the code alone tells of it: GCC's, which shares it out by itself. "
                      "Numbers are then iterations from 0 on.")
        .def_readonly("is_unsigned", &ThreadLoop::is_unsigned)
        .def_readonly(
            "is_of_variable", &ThreadLoop::is_of_variable,
            "Whether numbers are the user's variable's, and not those of its iterations from 0 on; "
            "None if that is not known.")
        .def_property_readonly(
            "schedule", [](const ThreadLoop &loop) { return schedule_name(loop.schedule); },
            "``static``, ``dynamic`` or ``guided``, empty where it is not known.")
        .def_readonly("chunk", &ThreadLoop::chunk, "In iterations.")
        .def_readonly("first", &ThreadLoop::first, "Of the loop.")
        .def_readonly("last", &ThreadLoop::last)
        .def_readonly("step", &ThreadLoop::step)
        .def_readonly("now_first", &ThreadLoop::now_first, "Of what the thread was given.")
        .def_readonly("now_last", &ThreadLoop::now_last)
        .def_readonly("stride", &ThreadLoop::stride,
                      "From each of its chunks to its next one, where they are fixed.")
        .def_readonly("next", &ThreadLoop::next, "The first that no thread was given.")
        .def_readonly("all_given", &ThreadLoop::all_given, "Whether there is none any more.")
        .def_readonly("iteration", &ThreadLoop::iteration,
                      "Which of the loop the thread executes, from 0 on, in GCC's code.")
        .def_readonly("kept_first", &ThreadLoop::kept_first,
                      "Of what the thread is to execute unless another one steals it.")
        .def_readonly("kept_last", &ThreadLoop::kept_last);
}

}  // namespace gdb_ompd
