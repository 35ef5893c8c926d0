// SPDX-License-Identifier: Apache-2.0
#include "stop/overflow.hpp"
#include "stop/region_members.hpp"

#include "all_runtimes.hpp"
#include "facts.hpp"
#include "places.hpp"

#include <pybind11/functional.h>

#include <algorithm>
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
std::vector<std::pair<std::uint64_t, code::Value>> unwound(WholeStacks &stacks, int gdb_num) {
    std::vector<std::pair<std::uint64_t, code::Value>> found;
    const auto *const architecture = stacks.reader().calls().functions().architecture();
    for (const code::Frame &frame : stacks.unwound(gdb_num, whole_frames)) {
        found.emplace_back(frame.pc, frame.held_by(architecture->convention().stack_pointer));
    }
    return found;
}

std::map<int, std::vector<std::uint64_t>> addresses(WholeStacks &stacks,
                                                    const std::vector<int> &gdb_nums) {
    std::map<int, std::vector<std::uint64_t>> found;
    const auto reads = stacks.reads(gdb_nums);
    for (std::size_t at = 0; at < reads.size(); ++at) {
        if (reads[at] != nullptr) {
            found[gdb_nums[at]] = reads[at]->addresses;
        }
    }
    return found;
}

std::vector<std::pair<std::uint64_t, std::string_view>> bodies(WholeStacks &stacks, int gdb_num) {
    std::vector<std::pair<std::uint64_t, std::string_view>> found;
    for (const auto &[function, caller] : stacks.bodies(gdb_num)) {
        found.emplace_back(function, caller == nullptr ? "" : caller->name);
    }
    return found;
}

std::optional<std::string> library_call(WholeStacks &stacks, int gdb_num, std::uint64_t pc) {
    auto call = stacks.reader().calls().library_call_of(stacks.of(gdb_num), pc);
    return call ? std::optional(std::move(call->function)) : std::nullopt;
}

// A thread of the process: the fields of ProcessThread, in their order.
using Process = std::vector<std::tuple<int, std::uint64_t, std::optional<std::uint64_t>>>;

std::unique_ptr<HangReader> hang_reader(WaitReader &waits, const Process &given,
                                        std::optional<std::vector<HangReader::Range>> readable,
                                        std::optional<bool> is_forked,
                                        std::function<bool(std::uint64_t)> is_own) {
    std::vector<ProcessThread> process;
    for (const auto &[gdb_num, lwp, pthread] : given) {
        process.push_back({gdb_num, lwp, pthread});
    }
    return std::make_unique<HangReader>(waits, std::move(process), std::move(readable), is_forked,
                                        std::move(is_own));
}

}  // namespace

void init_stop(py::module_ &module) {
    py::class_<HeldLock>(module, "HeldLock", "A lock or critical that a thread is inside of.")
        .def_property_readonly("kind", [](const HeldLock &lock) { return text(lock.kind); })
        .def_readonly("object", &HeldLock::object,
                      "Its address; None for what has no word of its own.")
        .def_readonly("entered_at", &HeldLock::entered_at, "The address of the call.")
        .def_readonly("pc", &HeldLock::pc, "Of its function's frame, an inlined one's too.")
        .def_readonly("certain", &HeldLock::certain,
                      "Whether each way through the code to where the thread is enters it, and "
                      "none leaves it.");
    py::class_<WholeStacks>(
        module, "WholeStacks",
        "All frames of threads at one stop: by the unwinder or, where it does not tell them, the "
        "DEBUGGER's.")
        .def(py::init([](WaitReader &reader, std::optional<Unwinder *> unwinder,
                         PythonStacks::Debuggers debugger) -> std::unique_ptr<WholeStacks> {
                 return std::make_unique<PythonStacks>(reader, unwinder, std::move(debugger));
             }),
             py::arg("reader"), py::arg("unwinder"), py::arg("debugger"), py::keep_alive<1, 2>(),
             py::keep_alive<1, 3>())
        .def("unwound", &unwound, py::arg("gdb_num"),
             "Return the program counters and stack pointers of frames that the unwinder tells.")
        .def("addresses", &addresses, py::arg("gdb_nums"),
             "Return the program counters of frames up to the user's code, as the unwinder tells "
             "them, innermost first; nothing of threads of which it does not.")
        .def("executed", &WholeStacks::executed, py::arg("gdb_nums"),
             "Return which of the user's code threads execute, of a call its last byte, of those "
             "whose stacks the unwinder tells; None where there is no such frame.")
        .def("bodies", &bodies, py::arg("gdb_num"),
             "Return the functions of the user's that the runtime has called on a thread's stack, "
             "0 where that is not known, each with the entry point that called it, empty if none "
             "has, innermost first.")
        .def("library_call", &library_call, py::arg("gdb_num"), py::arg("pc"),
             "Return what the user's code called of the library that a thread's frame at PC is in, "
             "if that knows no source lines.")
        .def(
            "overflowed",
            [](WholeStacks &stacks, int gdb_num, const py::int_ &fault,
               std::optional<std::uint64_t> start, std::uint64_t descriptor) {
                return overflowed(stacks, gdb_num, to_address(fault),
                                  start ? std::optional(TargetAddr{*start}) : std::nullopt,
                                  TargetAddr{descriptor});
            },
            py::arg("gdb_num"), py::arg("fault"), py::arg("start"), py::arg("descriptor"),
            "Return the size of the stack that a thread has run off with a FAULT, None if it has "
            "not. START is an address in it, of the initial thread, DESCRIPTOR another's "
            "pthread_t.");
    init_places(module);
    init_region_calls(module);
    init_all_runtimes(module);
    init_model_stop(module);
    py::class_<HangReader>(
        module, "HangReader",
        "What a verdict on a hang is concluded from. PROCESS are GDB number, LWP and pthread_t of "
        "all threads, READABLE the code of the files that could be read, None where all runtimes "
        "could. IS_FORKED tells whether the process began by fork() and has executed no program "
        "since, None where that is not known, IS_OWN whether no other process can use the memory "
        "at an address.")
        .def(py::init(&hang_reader), py::arg("waits"), py::arg("process"), py::arg("readable"),
             py::arg("is_forked"), py::arg("is_own"), py::keep_alive<1, 2>())
        .def(
            "without_workers",
            [](HangReader &reader, ModelRuntimes &runtimes) {
                return without_workers(runtimes.all(), reader);
            },
            py::arg("runtimes"),
            "Return a thread that keeps workers which fork() has not copied, None without one.");
    init_stop_waits(module);
    init_loops(module);
    module.def(
        "held_locks",
        [](WaitReader &reader, const std::vector<GivenFrame> &frames) {
            return HeldLocks(reader.calls()).of(frames_of(reader, frames));
        },
        py::arg("reader"), py::arg("frames"),
        "Return the locks and criticals that a thread with these frames is inside of, the last "
        "entered first.");
}

}  // namespace gdb_ompd
