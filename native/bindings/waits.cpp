// SPDX-License-Identifier: Apache-2.0
#include "stop/waits.hpp"
#include "code/code_map.hpp"
#include "code/construct_call.hpp"
#include "elf/address_space.hpp"

#include "code.hpp"
#include "frames.hpp"

#include <algorithm>
#include <functional>
#include <vector>

namespace gdb_ompd {

namespace {

using RegisterNames = std::span<const code::NamedRegister>;

// Those that a callee preserves, and the others.
std::pair<RegisterNames, RegisterNames> registers_of(WaitReader &reader) {
    const auto *const architecture = reader.calls().functions().architecture();
    if (architecture == nullptr) {
        return {};
    }
    const code::CallingConvention convention = architecture->convention();
    return {convention.preserved, convention.others};
}

std::vector<std::string> names_of(RegisterNames registers) {
    std::vector<std::string> names;
    for (const auto &one : registers) {
        names.emplace_back(one.name);
    }
    return names;
}

void init_call_place(py::module_ &module) {
    py::class_<CallPlace>(module, "CallPlace", "A call whose construct the source line decides.")
        .def_readonly("address", &CallPlace::address)
        .def_readonly("function", &CallPlace::function, "Where the function around it begins.")
        .def_readonly("starts", &CallPlace::starts,
                      "The earlier calls in the function that would have begun the construct, if "
                      "they are on the same line.");
}

void init_given_frame(py::module_ &module) {
    using Values = std::optional<std::vector<std::optional<std::uint64_t>>>;
    py::class_<GivenFrame>(
        module, "GivenFrame",
        "A frame as the debugger has it: its program counter, whether an instruction of its caller "
        "called it, and what its callee preserved, in the order of "
        "``WaitReader.registers``; of the innermost one then the others. It may be made up for a "
        "function that has ended with a jump.")
        .def(py::init([](std::uint64_t pc, bool is_called, Values registers, bool is_tail_call) {
                 return GivenFrame{pc, is_called, std::move(registers), is_tail_call};
             }),
             py::arg("pc"), py::arg("is_called"), py::arg("registers") = py::none(),
             py::arg("is_tail_call") = false);
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
        .def_property_readonly(
            "registers",
            [](WaitReader &reader) {
                const auto [preserved, others] = registers_of(reader);
                return std::pair(names_of(preserved), names_of(others));
            },
            "Those that a callee preserves, and the others, by GDB's names; none for code that "
            "cannot be read.")
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
            "body_given",
            [](WaitReader &reader, const std::vector<GivenFrame> &frames) {
                return reader.bodies().given(frames_of(reader, frames));
            },
            py::arg("frames"),
            "Return the outlined function that the call of the first of FRAMES gave to the "
            "runtime. The others are that frame's callers.")
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
    const auto [preserved, others] = registers_of(reader);
    for (const RegisterNames each : {preserved, others}) {
        for (const auto &one : each) {
            numbers.push_back(one.number);
        }
    }
    std::vector<code::Frame> frames;
    for (const auto &[pc, is_called, registers, is_tail_call] : given) {
        code::Frame &frame = frames.emplace_back();
        frame.pc = pc;
        frame.is_called = is_called;
        frame.is_tail_call = is_tail_call;
        for (std::size_t i = 0; registers && i < std::min(numbers.size(), registers->size()); ++i) {
            frame.registers[numbers[i]] = (*registers)[i];
        }
    }
    return frames;
}

void init_waits(py::module_ &module) {
    init_given_frame(module);
    init_call_place(module);
    init_wait_reader(module);
}

}  // namespace gdb_ompd
