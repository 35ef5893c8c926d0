// SPDX-License-Identifier: Apache-2.0
#include "stop/waits.hpp"
#include "code/code_map.hpp"
#include "code/construct_call.hpp"
#include "elf/address_space.hpp"

#include "code.hpp"
#include "frames.hpp"

#include <pybind11/operators.h>

#include <algorithm>
#include <functional>
#include <vector>

namespace gdb_ompd {

namespace {

std::span<const code::NamedRegister> preserved(WaitReader &reader) {
    const auto *const architecture = reader.calls().functions().architecture();
    return architecture == nullptr ? std::span<const code::NamedRegister>()
                                   : architecture->convention().preserved;
}

std::vector<std::optional<RegionCalls>> region_calls(WaitReader &reader, Unwinder &unwinder,
                                                     const ThreadStacks &threads) {
    return of_each<std::optional<RegionCalls>>(
        threads, [&](ThreadStack &stack) { return reader.region_calls(unwinder, stack); },
        std::nullopt);
}

std::vector<std::string> names_preserved(WaitReader &reader) {
    std::vector<std::string> names;
    for (const auto &one : preserved(reader)) {
        names.emplace_back(one.name);
    }
    return names;
}

template <class T> auto text_of(std::string T::*member) {
    return [member](const T &self) { return to_text(self.*member); };
}

std::size_t hash_of(const ThreadWait &wait) {
    return std::hash<std::string>()(wait.entry_point + wait.outside) ^
           std::hash<std::uint64_t>()(wait.object.value_or(wait.caller));
}

void init_thread_wait(py::module_ &module) {
    py::class_<CallPlace>(module, "CallPlace", "A call whose construct the source line decides.")
        .def_readonly("address", &CallPlace::address)
        .def_readonly("function", &CallPlace::function, "Where the function around it begins.")
        .def_readonly("starts", &CallPlace::starts,
                      "The earlier calls in the function that would have begun the construct, if "
                      "they are on the same line.");
    py::class_<ThreadWait>(module, "ThreadWait",
                           "Where a thread is outside of the user's code, and what it waits for "
                           "there. Texts are empty for none.")
        .def(py::self == py::self)
        .def("__hash__", &hash_of)
        .def_property_readonly("entry_point", text_of(&ThreadWait::entry_point),
                               "The runtime's function that the user's code called; ``?`` for one "
                               "without a name.")
        .def_property_readonly("outside", text_of(&ThreadWait::outside),
                               "The function of the system's, or of another library, if that is "
                               "what it called.")
        .def_property_readonly("library", text_of(&ThreadWait::library),
                               "The function of another library's that the user's code has called, "
                               "in which OUTSIDE was called.")
        .def_readonly("caller", &ThreadWait::caller,
                      "The program counter of the frame that has called LIBRARY, 0 where that "
                      "uses OpenMP.")
        .def_readonly("in_library", &ThreadWait::in_library,
                      "Whether a library called OUTSIDE that has begun the region which the thread "
                      "is in.")
        .def_property_readonly(
            "kind", [](const ThreadWait &wait) { return text(wait.kind); },
            "A word of ``model.waits.Kind``.")
        .def_readonly("object", &ThreadWait::object, "The address of what it waits for.")
        .def_readonly("undeferred", &ThreadWait::undeferred,
                      "Whether the wait is for the dependences of a task that the thread is about "
                      "to execute.")
        .def_readonly("in_runtime", &ThreadWait::in_runtime,
                      "Whether the frames are the runtime's, and none of the user's is known: a "
                      "worker in no task.")
        .def_readonly("in_handler", &ThreadWait::in_handler,
                      "Whether a signal has interrupted it, and no frame of the user's is further "
                      "inside.")
        .def_readonly("before_body", &ThreadWait::before_body,
                      "Whether such a worker of GCC's runtime calls a body next: it is not at a "
                      "region's end.")
        .def_readonly("frameless", &ThreadWait::frameless,
                      "Whether a function of the user's called it that left no frame.")
        .def_readonly("function", &ThreadWait::function, "Where that function begins.")
        .def_readonly("jumps", &ThreadWait::jumps, "The jumps by which it may have left.")
        .def_readonly("places", &ThreadWait::places,
                      "Of a barrier, an atomic construct and a taskgroup: what tells which it is.")
        .def_readonly("is_certain", &ThreadWait::is_certain,
                      "Whether the runtime's own data tell which barrier it is.");
    py::class_<WaitReader::Read, std::shared_ptr<WaitReader::Read>>(module, "ThreadRead",
                                                                    "What a thread's stack tells.")
        .def_readonly("addresses", &WaitReader::Read::addresses,
                      "The program counters up to the user's code, innermost first.")
        .def_readonly("wait", &WaitReader::Read::wait)
        .def_readonly("is_long", &WaitReader::Read::is_long,
                      "Whether frames around the user's innermost are with them.");
}

void init_region_calls(py::module_ &module) {
    py::class_<RegionCalls::Call>(module, "RegionCall", "A call that began a parallel region.")
        .def_readonly("returns_to", &RegionCalls::Call::returns_to)
        .def_readonly("body", &RegionCalls::Call::body,
                      "The outlined function that it gave to the runtime.");
    py::class_<RegionCalls::User>(module, "UserFrame", "A frame of the user's code.")
        .def_readonly("pc", &RegionCalls::User::pc)
        .def_readonly("start", &RegionCalls::User::start,
                      "Where its function begins, 0 where that is not known.")
        .def_readonly("called_by_user", &RegionCalls::User::called_by_user);
    py::class_<RegionCalls>(module, "RegionCalls",
                            "How a thread's user code began the regions that it is in.")
        .def_readonly("calls", &RegionCalls::calls, "Outermost first.")
        .def_readonly("in_last", &RegionCalls::in_last,
                      "Whether the last call has no body on the stack: its region has not begun, "
                      "or has ended.")
        .def_readonly("users", &RegionCalls::users, "The user's frames, innermost first.");
}

void init_given_frame(py::module_ &module) {
    using Values = std::optional<std::vector<std::optional<std::uint64_t>>>;
    py::class_<GivenFrame>(
        module, "GivenFrame",
        "A frame as the debugger has it: its program counter, whether an instruction of its caller "
        "called it, and what its callee preserved, in the order of "
        "``WaitReader.preserved_registers``; of the innermost one then the first four arguments of "
        "a call of the kernel.")
        .def(py::init([](std::uint64_t pc, bool is_called, Values registers) {
                 return GivenFrame{pc, is_called, std::move(registers)};
             }),
             py::arg("pc"), py::arg("is_called"), py::arg("registers") = py::none());
}

void init_wait_reader(py::module_ &module) {
    py::class_<WaitReader>(
        module, "WaitReader",
        "Reads from code and stacks what threads called and wait for, and what they hold.")
        .def(py::init([](std::shared_ptr<AddressSpace> space, const ModuleList &modules,
                         std::shared_ptr<code::CodeMap> map, const ModuleList &runtimes) {
                 return std::make_unique<WaitReader>(std::move(space), modules_of(modules),
                                                     std::move(map), modules_of(runtimes));
             }),
             py::arg("space").none(false), py::arg("modules"), py::arg("code").none(false),
             py::arg("runtimes"))
        .def_property_readonly("preserved_registers", &names_preserved,
                               "By GDB's names; none for code that cannot be read.")
        .def(
            "at",
            [](WaitReader &reader, std::uint64_t pc) {
                return CodeAt{reader.calls(), pc};
            },
            py::keep_alive<0, 1>(), py::arg("pc"), "Return what the code around PC tells.")
        .def(
            "call_before",
            [](WaitReader &reader, std::uint64_t return_address) {
                return CallBefore{reader.calls(), return_address};
            },
            py::keep_alive<0, 1>(), py::arg("return_address"),
            "Return the call that returns to an address.")
        .def(
            "read",
            [](WaitReader &reader, const std::vector<GivenFrame> &frames,
               std::optional<std::size_t> user) {
                return reader.read(frames_of(reader, frames), user);
            },
            py::arg("frames"), py::arg("user"),
            "Return what the thread with FRAMES, innermost first, waits for. USER is the place of "
            "the user's innermost frame, None without one.")
        .def("read_threads", &read_threads, py::arg("unwinder"), py::arg("threads"),
             "Return the same of threads with these stacks, each with its program counters up to "
             "the user's code; None where a stack is not plain.")
        .def("region_calls", &region_calls, py::arg("unwinder"), py::arg("threads"),
             "Return the calls by which the user code of such threads began the regions that they "
             "are in; None where the debugger's frames must tell.")
        .def(
            "body_given",
            [](WaitReader &reader, const std::vector<GivenFrame> &frames) {
                return reader.body_given(frames_of(reader, frames));
            },
            py::arg("frames"),
            "Return the outlined function that the call of the first of FRAMES gave to the "
            "runtime. The others are that frame's callers.")
        .def(
            "function_called",
            [](WaitReader &reader, const GivenFrame &frame) {
                return reader.calls().function_called(frames_of(reader, {frame}).front());
            },
            py::arg("frame"),
            "Return the function that FRAME has called through a pointer that a register still "
            "has.")
        .def(
            "construct",
            [](WaitReader &reader, std::uint64_t pc, const std::string &entry) {
                return code::construct_call(reader.calls(), pc, entry);
            },
            py::arg("pc"), py::arg("entry"),
            "Return where user code called the runtime's function ENTRY, or jumped there, if the "
            "stack says that it returns to PC: the last byte of a call, the first of a jump. None "
            "where that is not known.")
        .def("end_stop", &WaitReader::end_stop, "Read code again when it is next asked for.");
}

}  // namespace

ThreadReads read_threads(WaitReader &reader, Unwinder &unwinder, const ThreadStacks &threads) {
    // Threads that are at one place share what is told of them.
    std::shared_ptr<const WaitReader::Read> last;
    return of_each<std::optional<std::shared_ptr<const WaitReader::Read>>>(
        threads,
        [&](ThreadStack &stack) -> std::optional<std::shared_ptr<const WaitReader::Read>> {
            auto found = reader.read(unwinder, stack);
            if (!found) {
                return std::nullopt;
            }
            if (last == nullptr || *last != *found) {
                last = std::make_shared<const WaitReader::Read>(std::move(*found));
            }
            return last;
        },
        std::nullopt);
}

std::vector<code::Frame> frames_of(WaitReader &reader, const std::vector<GivenFrame> &given) {
    std::vector<code::Register> numbers;
    if (const auto *const architecture = reader.calls().functions().architecture()) {
        for (const auto &one : preserved(reader)) {
            numbers.push_back(one.number);
        }
        const code::CallingConvention convention = architecture->convention();
        const auto arguments = convention.arguments.first(3);
        numbers.insert(numbers.end(), arguments.begin(), arguments.end());
        numbers.push_back(convention.fourth_of_kernel);
    }
    std::vector<code::Frame> frames;
    for (const auto &[pc, is_called, registers] : given) {
        code::Frame &frame = frames.emplace_back();
        frame.pc = pc;
        frame.is_called = is_called;
        for (std::size_t i = 0; registers && i < std::min(numbers.size(), registers->size()); ++i) {
            frame.registers[numbers[i]] = (*registers)[i];
        }
    }
    return frames;
}

void init_waits(py::module_ &module) {
    init_given_frame(module);
    init_thread_wait(module);
    init_region_calls(module);
    init_wait_reader(module);
}

}  // namespace gdb_ompd
