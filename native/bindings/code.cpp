// SPDX-License-Identifier: Apache-2.0
#include "code/construct_call.hpp"

#include "code.hpp"
#include "code/code_map.hpp"
#include "code/given_functions.hpp"
#include "code/interceptors.hpp"
#include "elf/address_space.hpp"
#include "runtimes/offloading.hpp"

#include "bindings.hpp"

namespace gdb_ompd {

namespace {

struct RuntimeFunction {
    std::string name;
};

std::optional<std::string> name_of(const code::EntryPoint *entry) {
    return entry == nullptr ? std::nullopt : std::optional(std::string(entry->name));
}

void init_entry_points(py::module_ &module) {
    using code::EntryPoint;
    py::class_<EntryPoint>(module, "EntryPoint",
                           "A runtime's function that user code calls; of another name one that "
                           "does nothing.")
        .def(py::init([](const std::optional<std::string> &name) {
                 const auto *const found = code::entry_point(name.value_or(std::string()));
                 return found == nullptr ? EntryPoint() : *found;
             }),
             py::arg("name"))
        .def_readonly("name", &EntryPoint::name)
        .def_property_readonly(
            "waits_for",
            [](const EntryPoint &entry) { return entry.waits() ? text(entry.kind) : ""; },
            "A word of ``model.waits.Kind``, empty for nothing.")
        .def_readonly("body", &EntryPoint::body,
                      "Which argument is the construct's function, -1 for none.")
        .def_readonly("record", &EntryPoint::record,
                      "Which argument is the task's record, -1 for none.")
        .def_readonly("begins_region", &EntryPoint::begins_region,
                      "Whether the function begins a parallel region.")
        .def_readonly("makes_task", &EntryPoint::makes_task,
                      "Whether the function makes a task, which it may execute at once.");
    py::class_<RuntimeFunction>(module, "RuntimeFunction",
                                "A function of a runtime's, by its name in debug information.")
        .def(py::init([](const std::optional<std::string> &name) {
                 return RuntimeFunction{std::string(code::own_name(name.value_or("")))};
             }),
             py::arg("name"))
        .def_readonly("name", &RuntimeFunction::name, "As it is exported.")
        .def_property_readonly(
            "role", [](const RuntimeFunction &self) { return text(code::role_of(self.name)); },
            "What it does, empty for what does not matter: ``forks``, ``begins league``, "
            "``ends region``, ``calls body``, ``wraps body``, ``executes task``, ``links "
            "serialized``, ``begins serialized``, ``ends serialized``, ``ends undeferred task``, "
            "``starts sections``, ``ends sections``.")
        .def_property_readonly(
            "is_entry", [](const RuntimeFunction &self) { return code::is_entry_name(self.name); },
            "Whether user code calls it.");
    module.def(
        "functions_with_role", [](const std::string &role) { return code::names_with(role); },
        py::arg("role"), "Return the names of the runtimes' functions with a ROLE.");
    module.def(
        "entry_points",
        [] {
            const auto all = code::entry_points();
            return std::vector<EntryPoint>(all.begin(), all.end());
        },
        "Return the runtimes' functions that matter.");
}

void init_code_map(py::module_ &module) {
    using code::CodeMap;
    py::class_<CodeMap, std::shared_ptr<CodeMap>>(
        module, "CodeMap",
        "Whose code is where in a process: the user's, an OpenMP runtime's, the "
        "system's.\n\nEXECUTABLE is the program among MODULES, None where its file cannot be "
        "read, SYSTEM other code of the system's, of no file.")
        .def(py::init([](const ModuleList &modules,
                         const std::optional<std::shared_ptr<Module>> &executable,
                         const ModuleList &runtimes, const std::vector<CodeMap::Range> &system) {
                 return std::make_shared<CodeMap>(modules_of(modules), executable.value_or(nullptr),
                                                  modules_of(runtimes), system);
             }),
             py::arg("modules"), py::arg("executable"), py::arg("runtimes"),
             py::arg("system") = std::vector<CodeMap::Range>())
        .def(
            "code_at",
            [](const CodeMap &map, const py::int_ &pc) {
                return text(map.owner(to_address(pc).value));
            },
            py::arg("pc"), "Return ``user``, ``runtime`` or ``system``.")
        .def(
            "is_user",
            [](const CodeMap &map, const py::int_ &pc) {
                return map.is_user(to_address(pc).value);
            },
            py::arg("pc"))
        .def_property_readonly(
            "foreign", &CodeMap::foreign,
            "The ranges that are not the user's, in order; None where a runtime is linked in.");
}

void init_function_around(py::module_ &module) {
    using code::FunctionAround;
    py::class_<FunctionAround>(
        module, "FunctionAround",
        "The function around an address, as far as its file tells: by a symbol whose size covers "
        "the address, else by the entry of the unwind table.")
        .def_property_readonly(
            "module", [](const FunctionAround &one) { return FileName{one.module->name}; },
            "The file, as the dynamic linker knows it.")
        .def_property_readonly(
            "bias", [](const FunctionAround &one) { return one.module->bias; },
            "What is added to the file's own addresses where it is mapped.")
        .def_property_readonly(
            "name", [](const FunctionAround &one) { return to_text(one.name, "surrogateescape"); },
            "The function's name by its symbol, as C++ has it; empty where none covers the "
            "address.")
        .def_readonly("start", &FunctionAround::start,
                      "Where the function begins; None where neither tells.")
        .def_readonly("is_entry", &FunctionAround::is_entry,
                      "Whether the program, or the dynamic linker, begins with it.")
        .def(
            "is_without_line",
            [](const FunctionAround &one, const py::int_ &pc) {
                return one.is_without_line(to_address(pc).value);
            },
            py::arg("pc"),
            "Return whether the line table says that the code at PC, in this function, is of no "
            "source line: a compiler may have made one call of two. GDB says the line before it.")
        .def("is_named_by", &FunctionAround::is_named_by, py::arg("symbol"),
             "Return whether a symbol at this address, the nearest that a debugger knows before "
             "the function's code, can be the function's: in a stripped file that is often an "
             "exported one far before it.");
}

void init_code_at(py::module_ &module) {
    using Call = code::CallMade;
    py::class_<Call>(module, "CallMade", "A call in a function's code.")
        .def_readonly("address", &Call::address)
        .def_readonly("returns_to", &Call::returns_to)
        .def_readonly("target", &Call::target);
    using Jump = code::JumpOut;
    py::class_<Jump>(module, "JumpOut", "A jump that leaves a function.")
        .def_readonly("first", &Jump::first, "The target, or its stub in the linkage table.")
        .def_readonly("target", &Jump::target);
    using Counter = code::LoopCounter;
    py::class_<Counter>(module, "LoopCounter", "A variable that a loop of clang's is counted with.")
        .def_readonly("stored_at", &Counter::stored_at, "The instruction behind the store.")
        .def_readonly("loop_ends", &Counter::loop_ends, "The jump to the next iteration.")
        .def_readonly("offset", &Counter::offset, "Of its place, from the frame pointer.")
        .def_readonly("width", &Counter::width, "In bytes; 0 of an iterator that is a class.");
    py::class_<CodeAt>(module, "CodeAt", "What the code around an address tells.")
        .def_property_readonly(
            "function",
            py::cpp_function([](const CodeAt &at) { return at.calls.functions().around(at.pc); },
                             py::keep_alive<0, 1>()),
            "The function; None for code of no file that can be read.")
        .def_property_readonly(
            "entry_point", [](const CodeAt &at) { return name_of(at.calls.around(at.pc)); },
            "The runtime's function that user code calls, if this is its own code.")
        .def_property_readonly(
            "calls_made", [](const CodeAt &at) { return at.around().calls_made(); },
            "The calls that the function makes, but for those through registers.")
        .def_property_readonly(
            "jumps_out", [](const CodeAt &at) { return at.around().jumps_out(); },
            "The jumps that leave the function.")
        .def_property_readonly(
            "ways_inside", [](const CodeAt &at) { return at.around().ways_inside(); },
            "The jumps from one place of the function to another: where they are, and where they "
            "lead to. Also each instruction that is executed before such a place without a jump.")
        .def_property_readonly(
            "sets_up_frame",
            [](const CodeAt &at) { return at.calls.targets().sets_up_frame(at.pc); },
            "Whether a function that begins here begins as unoptimised ones do.")
        .def_property_readonly(
            "behind_repeated",
            [](const CodeAt &at) { return at.calls.targets().behind_repeated(at.pc); },
            "Where the code goes on behind an instruction here that repeats itself, as in memset; "
            "None for another one.")
        .def_property_readonly(
            "only_giver",
            [](const CodeAt &at) { return code::only_giver_of(at.calls.functions(), at.pc); },
            "Where the one function begins whose code takes this function's address: the function "
            "in which an outlined one's construct is written. None where another one uses it, too.")
        .def_property_readonly(
            "pushed_arguments",
            [](const CodeAt &at) {
                const auto pushed = at.around().pushed_arguments();
                return pushed ? std::optional(pushed->bytes) : std::nullopt;
            },
            "By how many bytes the stack pointer is lower here than elsewhere in the function, for "
            "arguments that are pushed for the next call, or that the call which returns here "
            "leaves. None where that is not plain.")
        .def_property_readonly(
            "pushes_from",
            [](const CodeAt &at) -> std::optional<std::pair<std::uint64_t, std::uint64_t>> {
                const auto pushed = at.around().pushed_arguments();
                return pushed && pushed->bytes != 0
                           ? std::optional(std::pair(pushed->begin, pushed->end))
                           : std::nullopt;
            },
            "Where the instruction begins and ends from which on the stack pointer is lower for "
            "these.")
        .def(
            "loop_counters",
            [](const CodeAt &at, std::int64_t iteration) {
                return at.around().loop_counters(iteration);
            },
            py::arg("iteration"),
            "Return the variables that a loop of clang's is counted with, in the order in which it "
            "computes them from the number of the iteration, which is ITERATION bytes from the "
            "frame pointer.")
        .def(
            "is_stored",
            [](const CodeAt &at, const std::string &name, std::int64_t offset) {
                return code::is_stored(at.calls.functions(), at.pc, name, offset);
            },
            py::arg("name"), py::arg("offset"),
            "Return whether each way to here has stored at OFFSET bytes from the register NAME, or "
            "has made a call behind taking that address.")
        .def(
            "may_change_in_place",
            [](const CodeAt &at, const std::string &name) {
                return at.around().may_change_in_place(name);
            },
            py::arg("name"),
            "Return whether the function may compute what a register holds from what that held "
            "itself. NAME is GDB's.")
        .def(
            "is_set_again",
            [](const CodeAt &at, const std::string &name, std::uint64_t start, std::uint64_t end,
               bool is_constant) {
                return at.around().is_set_again({start, end}, name, is_constant);
            },
            py::arg("name"), py::arg("start"), py::arg("end"), py::arg("is_constant"),
            "Return whether a register may hold what the code from START up to END has put into it "
            "later than something else, or the caller has. What is computed in place is another "
            "value of what IS_CONSTANT alone. NAME is GDB's.")
        .def(
            "times_set",
            [](const CodeAt &at, const std::string &name, std::uint64_t start, std::uint64_t end) {
                return at.around().times_set({start, end}, name);
            },
            py::arg("name"), py::arg("start"), py::arg("end"),
            "Return how many instructions from START up to END put something else into a register, "
            "besides those that restore it. NAME is GDB's.")
        .def(
            "is_callers",
            [](const CodeAt &at, const std::string &name) { return at.around().is_callers(name); },
            py::arg("name"),
            "Return whether a register that is preserved holds what the caller has in it. NAME is "
            "GDB's.")
        .def(
            "is_kept",
            [](const CodeAt &at, const std::string &name, std::vector<std::uint64_t> inner) {
                return at.around().is_kept(std::move(inner), name);
            },
            py::arg("name"), py::arg("inner"),
            "Return whether the functions that a frame here has called have left a register as it "
            "was, for certain. NAME is GDB's, INNER the program counters of their frames, the "
            "innermost first, without inlined ones.")
        .def(
            "may_stay",
            [](const CodeAt &at, std::uint64_t until, const std::vector<std::string> &names,
               std::vector<std::int64_t> slots) {
                return at.around().may_stay(until, names, std::move(slots));
            },
            py::arg("until"), py::arg("names"), py::arg("slots"),
            "Return whether a way of the function leads from here to UNTIL on which nothing is "
            "changed that a value is made of: registers, whose NAMES are GDB's, and SLOTS of the "
            "frame, as offsets from its canonical address.")
        .def(
            "part_not_stored",
            [](const CodeAt &at, std::int64_t begin, std::uint32_t size,
               const std::vector<std::tuple<std::int64_t, std::uint32_t,
                                            std::vector<std::pair<std::uint64_t, std::uint64_t>>>>
                   &parts) {
                std::vector<code::StoredPart> asked;
                for (const auto &[part, bytes, ranges] : parts) {
                    asked.push_back({{part, bytes}, {}});
                    for (const auto &[start, end] : ranges) {
                        asked.back().code.push_back({start, end});
                    }
                }
                return at.around().part_not_stored({begin, size}, asked);
            },
            py::arg("begin"), py::arg("size"), py::arg("parts"),
            "Return which of the PARTS of a variable has bytes that its code stores nothing to, "
            "and "
            "that nothing behind here reads: each part is where it begins, its size, and where its "
            "code begins and ends. The variable has SIZE bytes of the frame from BEGIN, an offset "
            "from its canonical address.");
    py::class_<CallBefore>(module, "CallBefore", "The call that returns to an address.")
        .def_property_readonly(
            "target",
            [](const CallBefore &call) {
                return call.calls.targets().only_target(call.return_address);
            },
            "The function that it names.")
        .def_property_readonly(
            "is_instead_of_device",
            [](const CallBefore &call) {
                return code::follows_target_call(call.calls, call.return_address);
            },
            "Whether it is made where a call for a device has done nothing.")
        .def_property_readonly(
            "region_line",
            [](const CallBefore &call) -> std::optional<int> {
                const auto region = code::region_called(call.calls, call.return_address);
                return region ? std::optional(region->line) : std::nullopt;
            },
            "The line of clang's target region that it calls a device for.")
        .def_property_readonly(
            "entry_point",
            [](const CallBefore &call) -> py::object {
                const auto called = call.calls.of_call(call.return_address);
                const bool is_known = called && called->entry != nullptr;
                return is_known ? py::object(to_text(called->entry->name)) : py::none();
            },
            "The runtime's function that user code calls there.");
}

ModuleList list_of(const Modules &modules) {
    ModuleList found;
    for (const auto &each : modules) {
        found.push_back(std::const_pointer_cast<Module>(each));
    }
    return found;
}

void init_devices(py::module_ &module) {
    py::class_<MappedObject>(module, "MappedObject", "What is mapped to a device.")
        .def_readonly("host", &MappedObject::host, "Where it begins there.")
        .def_readonly("device", &MappedObject::device)
        .def_readonly("bytes", &MappedObject::bytes)
        .def_readonly("references", &MappedObject::references, "None: it is never unmapped.")
        .def_property_readonly(
            "name", [](const MappedObject &self) { return to_text(self.name); },
            "What the compiler has told the runtime; empty where it told none.");
    py::class_<OffloadDevice>(module, "OffloadDevice", "A device of a runtime for offloading.")
        .def_readonly("number", &OffloadDevice::number)
        .def_property_readonly(
            "plugin", [](const OffloadDevice &self) { return FileName{self.plugin}; },
            "The file that serves it; empty where that is not known.")
        .def_property_readonly(
            "kind", [](const OffloadDevice &self) { return to_text(self.kind); },
            "As the plugin calls it; empty where that is not known.")
        .def_readonly("mapped", &OffloadDevice::mapped, "By host addresses.")
        .def_property_readonly(
            "why_unknown", [](const OffloadDevice &self) { return to_text(self.why_unknown); },
            "Why it is not known what is mapped.");
    py::class_<OffloadDevices>(module, "OffloadDevices", "The devices of one runtime.")
        .def_property_readonly(
            "library", [](const OffloadDevices &self) { return FileName{self.library}; },
            "The runtime's file.")
        .def_readonly("devices", &OffloadDevices::devices, "By number.")
        .def_readonly("is_late", &OffloadDevices::is_late,
                      "Whether it looks for them when the first is needed, and has not.")
        .def_property_readonly(
            "why_unknown", [](const OffloadDevices &self) { return to_text(self.why_unknown); },
            "Why they are not known.");
    module.def(
        "offload_devices",
        [](AddressSpace &space, const ModuleList &modules) {
            return offload_devices(space, modules_of(modules));
        },
        py::arg("space"), py::arg("modules"),
        "Return the devices of each runtime for offloading among MODULES.");
}

}  // namespace

void init_code(py::module_ &module) {
    init_code_map(module);
    init_function_around(module);
    init_code_at(module);
    init_entry_points(module);
    module.def(
        "offloading_libraries",
        [](const ModuleList &modules) {
            return list_of(offloading_libraries(modules_of(modules)));
        },
        py::arg("modules"),
        "Return those libraries among MODULES that stand between the program and its devices.");
    init_devices(module);
    module.def(
        "intercepting_libraries",
        [](const ModuleList &modules) {
            return list_of(code::intercepting_libraries(modules_of(modules)));
        },
        py::arg("modules"),
        "Return those libraries of tools among MODULES, which are in link order and begin with the "
        "executable, that define functions of OpenMP's, of the system's or of MPI's and call what "
        "these hide.");
}

}  // namespace gdb_ompd
