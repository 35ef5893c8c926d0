// SPDX-License-Identifier: Apache-2.0
#include "stacks.hpp"

#include "stop/overflow.hpp"

#include <algorithm>
#include <memory>
#include <utility>

namespace gdb_ompd {

ThreadStacks PythonStacks::stacks_of(const std::vector<int> &gdb_nums) {
    std::vector<int> missing;
    std::ranges::copy_if(gdb_nums, std::back_inserter(missing), [this](int number) {
        return unwinder() != nullptr && !stacks_.contains(number);
    });
    if (!missing.empty()) {
        for (const int number : missing) {
            stacks_.emplace(number, py::none());
        }
        for (const auto &[number, stack] : py::dict(debuggers_.attr("stopped")(missing))) {
            stacks_[number.cast<int>()] = borrowed(stack);
        }
    }
    ThreadStacks found;
    for (const int number : gdb_nums) {
        const auto known = stacks_.find(number);
        found.push_back(known == stacks_.end() || known->second.is_none()
                            ? std::nullopt
                            : std::optional(known->second.cast<ThreadStack *>()));
    }
    return found;
}

PythonStacks::Frames PythonStacks::unwound(int gdb_num, Unwind unwind) {
    const auto stack = stacks_of({gdb_num}).front();
    return stack ? unless_unreadable<Frames>([&] { return unwind(*unwinder(), **stack); }, {})
                 : Frames();
}

// GDB finds a register that no function has changed by going through all frames further in, and so
// takes a time that grows with the square of a recursion's depth.
PythonStacks::Frames PythonStacks::by_debugger(int gdb_num) {
    const Frames known = unwound(gdb_num, whole_frames);
    auto found = known.empty() ? std::nullopt : with_registers(asked("placed", gdb_num), known);
    return found ? *std::move(found) : asked("given", gdb_num);
}

std::vector<WholeStacks::Read> PythonStacks::reads(const std::vector<int> &gdb_nums) {
    std::vector<Read> found(gdb_nums.size());
    if (unwinder() != nullptr) {
        auto reads = read_threads(reader(), *unwinder(), stacks_of(gdb_nums));
        std::ranges::transform(reads, found.begin(),
                               [](const auto &read) { return read.value_or(nullptr); });
    }
    return found;
}

std::map<int, code::Value> PythonStacks::executed(const std::vector<int> &gdb_nums) {
    std::map<int, code::Value> found;
    const auto executed = of_each<code::Value>(
        stacks_of(gdb_nums), [&](ThreadStack &stack) { return unwinder()->last_executed(stack); },
        std::nullopt);
    for (std::size_t at = 0; at < gdb_nums.size(); ++at) {
        if (const code::Value pc = executed[at]) {
            found[gdb_nums[at]] = reader().calls().code().is_user(*pc) ? pc : std::nullopt;
        }
    }
    return found;
}

namespace {

// Program counter and stack pointer of each frame that the unwinder tells.
std::vector<std::pair<std::uint64_t, code::Value>> unwound(ModelStacks &given, int gdb_num) {
    WholeStacks &stacks = given.whole();
    std::vector<std::pair<std::uint64_t, code::Value>> found;
    const auto *const architecture = stacks.reader().calls().functions().architecture();
    for (const code::Frame &frame : stacks.unwound(gdb_num, whole_frames)) {
        found.emplace_back(frame.pc, frame.held_by(architecture->convention().stack_pointer));
    }
    return found;
}

std::map<int, std::vector<std::uint64_t>> addresses(ModelStacks &stacks,
                                                    const std::vector<int> &gdb_nums) {
    std::map<int, std::vector<std::uint64_t>> found;
    const auto reads = stacks.whole().reads(gdb_nums);
    for (std::size_t at = 0; at < reads.size(); ++at) {
        if (reads[at] != nullptr) {
            found[gdb_nums[at]] = reads[at]->addresses;
        }
    }
    return found;
}

std::vector<std::pair<std::uint64_t, std::string_view>> bodies(ModelStacks &stacks, int gdb_num) {
    std::vector<std::pair<std::uint64_t, std::string_view>> found;
    for (const auto &[function, caller] : stacks.whole().bodies(gdb_num)) {
        found.emplace_back(function, caller == nullptr ? "" : caller->name);
    }
    return found;
}

std::optional<std::string> library_call(ModelStacks &given, int gdb_num, std::uint64_t pc) {
    WholeStacks &stacks = given.whole();
    auto call = stacks.reader().calls().libraries().call_of(stacks.of(gdb_num), pc);
    return call ? std::optional(std::move(call->function)) : std::nullopt;
}

void init_region_calls(py::module_ &module) {
    using Begun = RegionCalls::Begun;
    py::class_<FrameFunction>(module, "FrameFunction",
                              "What the debugger tells of a frame's function.")
        .def(py::init([](const Typed<"Optional[str]"> &name, const Typed<"Optional[str]"> &symbol,
                         std::uint64_t start, bool has_line) {
                 return FrameFunction{bytes_of(name), bytes_of(symbol), start, has_line};
             }),
             py::arg("name"), py::arg("symbol"), py::arg("start"), py::arg("has_line"),
             "NAME is the frame's, SYMBOL as debug information has it, which knows the START: 0 "
             "where there is none. HAS_LINE tells that it has the frame's place in the source.");
    py::class_<Begun>(module, "BegunRegions",
                      "The regions that a thread's stack shows it to have begun.")
        .def_property_readonly(
            "constructs",
            [](const Begun &self) {
                std::vector<ModelLocation> found;
                for (const PlaceRef &each : self.constructs) {
                    found.emplace_back(location_of(each));
                }
                return found;
            },
            "Where their constructs are, outermost first.")
        .def_readonly("in_last", &Begun::in_last,
                      "Whether the last call has no body on the stack: its region has not begun, "
                      "or has ended.");
    py::class_<RegionReturn>(module, "RegionReturn",
                             "How a thread leaves the region that it began by a call.")
        .def_readonly("home", &RegionReturn::home,
                      "The debugger's frame to which the region's end returns, counted from the "
                      "innermost.")
        .def_readonly("returns_to", &RegionReturn::returns_to)
        .def_readonly("is_direct", &RegionReturn::is_direct,
                      "Whether the user's code has called the body itself.");
}

std::optional<std::uint64_t> overflow_of(ModelStacks &stacks, int gdb_num, const py::int_ &fault,
                                         std::optional<std::uint64_t> start,
                                         std::uint64_t descriptor) {
    return overflowed(stacks.whole(), gdb_num, to_address(fault),
                      start ? std::optional(TargetAddr{*start}) : std::nullopt,
                      TargetAddr{descriptor});
}

void def_frames(py::class_<ModelStacks> &stacks) {
    stacks
        .def("unwound", &unwound, py::arg("gdb_num"),
             "Return the program counters and stack pointers of frames that the unwinder tells.")
        .def("addresses", &addresses, py::arg("gdb_nums"),
             "Return the program counters of frames up to the user's code, as the unwinder tells "
             "them, innermost first; nothing of threads of which it does not.")
        .def(
            "executed",
            [](ModelStacks &self, const std::vector<int> &gdb_nums) {
                return self.whole().executed(gdb_nums);
            },
            py::arg("gdb_nums"),
            "Return which of the user's code threads execute, of a call its last byte, of those "
            "whose stacks the unwinder tells; None where there is no such frame.")
        .def("bodies", &bodies, py::arg("gdb_num"),
             "Return the functions of the user's that the runtime has called on a thread's stack, "
             "0 where that is not known, each with the entry point that called it, empty if none "
             "has, innermost first.")
        .def("library_call", &library_call, py::arg("gdb_num"), py::arg("pc"),
             "Return what the user's code called of the library that a thread's frame at PC is in, "
             "if that knows no source lines.")
        .def("overflowed", &overflow_of, py::arg("gdb_num"), py::arg("fault"), py::arg("start"),
             py::arg("descriptor"),
             "Return the size of the stack that a thread has run off with a FAULT, None if it has "
             "not. START is an address in it, of the initial thread, DESCRIPTOR another's "
             "pthread_t.");
}

}  // namespace

void init_stacks(py::module_ &module) {
    init_places(module);
    init_region_calls(module);
    py::class_<ModelStacks> stacks(
        module, "Stacks",
        "The stacks of one stop's threads: by the unwinder or, where it does not tell them, the "
        "DEBUGGER's. NAMES is what that calls places on them: see PlaceNames.");
    stacks.def(py::init<WaitReader &, std::optional<Unwinder *>, PythonStacks::Debuggers,
                        const Typed<"PlaceNames"> &>(),
               py::arg("reader"), py::arg("unwinder"), py::arg("debugger"), py::arg("names"),
               py::keep_alive<1, 2>(), py::keep_alive<1, 3>());
    stacks.def(
        "places",
        [](ModelStacks &self, const std::vector<int> &gdb_nums) {
            return self.stacks().places(gdb_nums);
        },
        py::arg("gdb_nums"), "Return where in the user's code threads are.");
    stacks.def(
        "begun",
        [](ModelStacks &self, int gdb_num) { return self.stacks().calls().begun(gdb_num); },
        py::arg("gdb_num"), "Return where a thread began the regions that it is in.");
    stacks.def(
        "returns",
        [](ModelStacks &self, int gdb_num) { return self.stacks().calls().returns(gdb_num); },
        py::arg("gdb_num"),
        "Return how it leaves them, outermost first, of those whose code that called has a frame.");
    def_frames(stacks);
}

}  // namespace gdb_ompd
