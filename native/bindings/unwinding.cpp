// SPDX-License-Identifier: Apache-2.0
#include "code.hpp"
#include "elf/address_space.hpp"
#include "frames.hpp"

#include <algorithm>
#include <array>
#include <vector>

namespace gdb_ompd {

namespace {

// What a debugger gives, by DWARF's numbers.
std::unique_ptr<ThreadStack> given(const std::array<std::uint64_t, unwind_registers> &values) {
    Registers registers;
    std::ranges::copy(values, registers.begin());
    return std::make_unique<ThreadStack>(registers, std::nullopt);
}

using Caller = std::optional<FoundCaller>;

// The caller of a frame with the registers HELD, as ASKED tells it.
template <Caller (Unwinder::*asked)(std::uint64_t, bool, const Registers &)>
Caller asking_for(Unwinder &unwinder, std::uint64_t pc, bool is_calling,
                  const std::vector<code::Value> &held) {
    Registers registers{};
    std::copy_n(held.begin(), std::min(held.size(), registers.size()), registers.begin());
    return unless_unreadable<Caller>([&] { return (unwinder.*asked)(pc, is_calling, registers); },
                                     {});
}

}  // namespace

void init_unwinding(py::module_ &module) {
    py::class_<ThreadStack>(
        module, "ThreadStack",
        "The stack of a thread that stands still, unwound as far as anybody has asked.")
        .def_static(
            "traced",
            [](const std::vector<int> &lwps, std::optional<int> process) {
                std::vector<std::optional<std::unique_ptr<ThreadStack>>> found;
                for (auto &each : ThreadStack::traced(lwps, process)) {
                    found.push_back(each ? std::optional(std::move(each)) : std::nullopt);
                }
                return found;
            },
            py::arg("lwps"), py::arg("process"),
            "Return those of threads that this process traces, None for one that it does "
            "not.\n\nThe stack of a PROCESS that is named is read from the kernel.")
        .def_static("given", &given, py::arg("values"),
                    "Return that of a thread with these registers, by DWARF's numbers, 0 to 16.");
    py::class_<FoundCaller>(module, "FoundCaller",
                            "The caller of a function without unwind information.")
        .def_readonly("function", &FoundCaller::function,
                      "An address that stands for the function.")
        .def_property_readonly(
            "registers",
            [](const FoundCaller &one) {
                return std::vector<code::Value>(one.registers.begin(), one.registers.end());
            },
            "The caller's, by DWARF's numbers, rip last; None for one that is not known.");
    py::class_<Unwinder>(
        module, "Unwinder",
        "Stacks by the unwind tables of the mapped files, on x86-64 under Linux.\n\nFOREIGN are "
        "the ranges of code that is not the user's, in order; HAS_ALL_FILES tells that no mapped "
        "file is missing among MODULES.")
        .def(py::init([](std::shared_ptr<AddressSpace> space, const ModuleList &modules,
                         std::vector<Unwinder::Range> foreign, bool has_all_files) {
                 return std::make_unique<Unwinder>(std::move(space), modules_of(modules),
                                                   std::move(foreign), has_all_files);
             }),
             py::arg("space").none(false), py::arg("modules"), py::arg("foreign"),
             py::arg("has_all_files") = false)
        .def("callers", &Unwinder::callers, py::arg("pc"), py::arg("sp"), py::arg("bp"),
             "Return the program counters of a frame's callers, as memory has them now, up to the "
             "first of the user's, if there is one; None where a stack is not plain.")
        .def("is_in_no_file", &Unwinder::is_in_no_file, py::arg("pc"),
             "Return whether PC can be code that was made at run time.")
        .def(
            "is_unlisted", &Unwinder::is_unlisted, py::arg("pc"), py::arg("is_calling"),
            "Return whether PC is in a mapped file that has no unwind information for it, or in no "
            "file at all. IS_CALLING tells that it is a return address.")
        .def(
            "found_caller", &asking_for<&Unwinder::found_caller>, py::arg("pc"),
            py::arg("is_calling"), py::arg("registers"),
            "Return the caller of a frame that is_unlisted, None where it cannot be told; one at 0 "
            "where the process begins. REGISTERS are by DWARF's numbers, rip last.")
        .def("listed_caller", &asking_for<&Unwinder::listed_caller>, py::arg("pc"),
             py::arg("is_calling"), py::arg("registers"),
             "Return the caller of another frame by the tables of the file that is mapped, which "
             "GDB may not have; None where they are not plain. It names no function.")
        .def("pass_over", &Unwinder::pass_over, py::arg("pc"),
             "Go on beyond frames at PC, though they are in the user's code.");
}

}  // namespace gdb_ompd
