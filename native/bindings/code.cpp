// SPDX-License-Identifier: Apache-2.0
#include "code/code_map.hpp"
#include "code/construct_call.hpp"
#include "code/given_functions.hpp"
#include "code/interceptors.hpp"
#include "elf/address_space.hpp"
#include "stop/waits.hpp"

#include "frames.hpp"

#include <pybind11/operators.h>

#include <algorithm>
#include <array>
#include <functional>
#include <vector>

namespace gdb_ompd {

namespace {

using ModuleList = std::vector<std::shared_ptr<Module>>;

Modules modules_of(const ModuleList &list) { return {list.begin(), list.end()}; }

std::span<const code::NamedRegister> preserved(WaitReader &reader) {
    const auto *const architecture = reader.calls().functions().architecture();
    return architecture == nullptr ? std::span<const code::NamedRegister>()
                                   : architecture->convention().preserved;
}

// What a debugger gives, by DWARF's numbers.
std::unique_ptr<ThreadStack> given(const std::array<std::uint64_t, unwind_registers> &values) {
    Registers registers;
    std::ranges::copy(values, registers.begin());
    return std::make_unique<ThreadStack>(registers, std::nullopt);
}

// Null for one that is not known.
using ThreadStacks = std::vector<std::optional<ThreadStack *>>;

// What READ tells of each thread, OTHERWISE of one that cannot be read.
template <class Result, class Read>
std::vector<Result> of_each(const ThreadStacks &threads, Read read, Result otherwise) {
    std::vector<Result> found;
    for (const auto &stack : threads) {
        found.push_back(stack ? unless_unreadable<Result>([&] { return read(**stack); }, otherwise)
                              : otherwise);
    }
    return found;
}

using Read = std::shared_ptr<const WaitReader::Read>;

std::vector<std::optional<Read>> read_threads(WaitReader &reader, Unwinder &unwinder,
                                              const ThreadStacks &threads) {
    // Threads that are at one place share what is told of them.
    Read last;
    return of_each<std::optional<Read>>(
        threads,
        [&](ThreadStack &stack) -> std::optional<Read> {
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

std::vector<std::optional<RegionCalls>> region_calls(WaitReader &reader, Unwinder &unwinder,
                                                     const ThreadStacks &threads) {
    return of_each<std::optional<RegionCalls>>(
        threads, [&](ThreadStack &stack) { return reader.region_calls(unwinder, stack); },
        std::nullopt);
}

// What each thread's outermost frame executes, as far as the unwinder goes: its program counter,
// in a frame that has called the last byte of the call.
std::vector<std::optional<std::uint64_t>> last_executed(Unwinder &unwinder,
                                                        const ThreadStacks &threads) {
    return of_each<std::optional<std::uint64_t>>(
        threads,
        [&](ThreadStack &stack) -> std::optional<std::uint64_t> {
            const auto last = unwinder.to_user(stack);
            if (!last) {
                return std::nullopt;
            }
            return stack.frames()[*last - 1].pc - (*last > 1 ? 1 : 0);
        },
        std::nullopt);
}

// Of a frame whose rsp and rbp are SP and BP, up to the user's code: of memory as it is now.
std::optional<std::vector<std::uint64_t>> callers(Unwinder &unwinder, std::uint64_t pc,
                                                  std::uint64_t sp, std::uint64_t bp) {
    Registers registers;
    registers[6] = bp;
    registers[7] = sp;
    registers[16] = pc;
    ThreadStack stack(registers, std::nullopt);
    unwinder.space().cache().clear();
    const auto count = unwinder.to_user(stack);
    if (!count) {
        return std::nullopt;
    }
    std::vector<std::uint64_t> found;
    for (std::size_t i = 1; i < *count; ++i) {
        found.push_back(stack.frames()[i].pc);
    }
    return found;
}

std::vector<std::string> names_preserved(WaitReader &reader) {
    std::vector<std::string> names;
    for (const auto &one : preserved(reader)) {
        names.emplace_back(one.name);
    }
    return names;
}

std::optional<std::string> name_of(const code::EntryPoint *entry) {
    return entry == nullptr ? std::nullopt : std::optional(std::string(entry->name));
}

std::vector<code::EntryPoint> entry_points() {
    const auto all = code::entry_points();
    return {all.begin(), all.end()};
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
                      "The program counter of the frame that has called LIBRARY.")
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
        .def_readonly("wait", &WaitReader::Read::wait);
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

void init_entry_points(py::module_ &module) {
    using code::EntryPoint;
    py::class_<EntryPoint>(module, "EntryPoint", "A runtime's function that user code calls.")
        .def_readonly("name", &EntryPoint::name)
        .def_property_readonly(
            "waits_for",
            [](const EntryPoint &entry) { return entry.waits() ? text(entry.kind) : ""; },
            "A word of ``model.waits.Kind``, empty for nothing.")
        .def_readonly("body", &EntryPoint::body,
                      "Which argument is the construct's function, -1 for none.")
        .def_readonly("record", &EntryPoint::record,
                      "Which argument is the task's record, -1 for none.")
        .def_readonly("makes_task", &EntryPoint::makes_task, "It may execute the task at once.");
    module.def("entry_points", &entry_points, "Return the runtimes' functions that matter.");
}

void init_calls_made(py::module_ &module) {
    using Call = code::UserCalls::CallMade;
    py::class_<Call>(module, "CallMade", "A call in a function's code.")
        .def_readonly("address", &Call::address)
        .def_readonly("returns_to", &Call::returns_to)
        .def_readonly("target", &Call::target);
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
        .def("is_named_by", &FunctionAround::is_named_by, py::arg("symbol"),
             "Return whether a symbol at this address, the nearest that a debugger knows before "
             "the function's code, can be the function's: in a stripped file that is often an "
             "exported one far before it.");
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
             "are in. None where the debugger's frames are to tell.")
        .def(
            "called",
            [](WaitReader &reader, std::uint64_t return_address) {
                const auto called = reader.calls().of_call(return_address);
                return called ? name_of(called->entry) : std::nullopt;
            },
            py::arg("return_address"),
            "Return the entry point that the call before RETURN_ADDRESS calls, if it is one.")
        .def(
            "entry_point_at",
            [](WaitReader &reader, std::uint64_t pc) { return name_of(reader.calls().around(pc)); },
            py::arg("pc"), "Return the entry point whose own code PC is in.")
        .def(
            "has_lines",
            [](WaitReader &reader, std::uint64_t pc) { return reader.calls().has_lines(pc); },
            py::arg("pc"), "Return whether PC is in a file that knows source lines.")
        .def(
            "function_around",
            [](WaitReader &reader, std::uint64_t pc) {
                return reader.calls().functions().around(pc);
            },
            py::keep_alive<0, 1>(), py::arg("pc"),
            "Return the function around PC; None for code of no file that can be read.")
        .def(
            "only_giver_of",
            [](WaitReader &reader, std::uint64_t function) {
                return code::only_giver_of(reader.calls().functions(), function);
            },
            py::arg("function"),
            "Return where the one function begins whose code takes the address of FUNCTION: of an "
            "outlined one that is where its construct is written. None where another one uses it, "
            "too.")
        .def(
            "calls_made",
            [](WaitReader &reader, std::uint64_t pc) { return reader.calls().calls_made(pc); },
            py::arg("pc"),
            "Return the calls that the function around PC makes, but for those through registers.")
        .def(
            "ways_inside",
            [](WaitReader &reader, std::uint64_t pc) { return reader.calls().ways_inside(pc); },
            py::arg("pc"),
            "Return the jumps from one place of the function around PC to another: where they are, "
            "and where they lead to; and what goes on to such a place from before it.")
        .def(
            "has_pushed_arguments",
            [](WaitReader &reader, std::uint64_t pc) {
                return reader.calls().has_pushed_arguments(pc);
            },
            py::arg("pc"),
            "Tell whether arguments were pushed for the call that returns to PC, where they are "
            "taken off again.")
        .def(
            "jumps_out",
            [](WaitReader &reader, std::uint64_t pc) { return reader.calls().jumps_out(pc); },
            py::arg("pc"), "Return where the function around PC goes by the jumps that leave it.")
        .def(
            "names_its_function",
            [](WaitReader &reader, std::uint64_t return_address) {
                return reader.calls().is_direct(return_address);
            },
            py::arg("return_address"),
            "Tell whether the call before RETURN_ADDRESS is not one through a pointer.")
        .def(
            "goes_on_to",
            [](WaitReader &reader, std::uint64_t function, std::uint64_t pc) {
                return reader.calls().goes_on_to(function, pc);
            },
            py::arg("function"), py::arg("pc"),
            "Tell whether FUNCTION is the one around PC, or ends with a jump, or a few, to that.")
        .def(
            "body_given",
            [](WaitReader &reader, const std::vector<GivenFrame> &frames) {
                return reader.body_given(frames_of(reader, frames));
            },
            py::arg("frames"),
            "Return the outlined function that the call of the first of FRAMES, which are it and "
            "its callers, handed over to the runtime.")
        .def(
            "function_called",
            [](WaitReader &reader, const GivenFrame &frame) {
                return reader.calls().function_called(frames_of(reader, {frame}).front());
            },
            py::arg("frame"),
            "Return the function that FRAME has called through a pointer that a register still "
            "has.")
        .def(
            "is_in_region_call",
            [](WaitReader &reader, std::uint64_t pc) {
                return reader.calls().is_in_region_call(pc);
            },
            py::arg("pc"),
            "Tell whether PC is in what begins a region or ends one, or in what such a function "
            "ends with a jump to.")
        .def(
            "call_target",
            [](WaitReader &reader, std::uint64_t return_address) -> std::optional<std::uint64_t> {
                const auto &targets = reader.calls().targets().targets(return_address);
                return targets.size() == 1 ? std::optional(targets.front()) : std::nullopt;
            },
            py::arg("return_address"),
            "Return the function that the call before RETURN_ADDRESS names.")
        .def(
            "construct",
            [](WaitReader &reader, std::uint64_t pc, const std::string &entry) {
                return code::construct_call(reader.calls(), pc, entry);
            },
            py::arg("pc"), py::arg("entry"),
            "Return where user code came to the runtime's function ENTRY, if the stack says that "
            "it returns to PC: the last byte of a call, the first of a jump. None where it cannot "
            "be told.")
        .def(
            "sets_up_frame",
            [](WaitReader &reader, std::uint64_t start) {
                return reader.calls().targets().sets_up_frame(start);
            },
            py::arg("start"), "Tell whether the function at START begins as unoptimised ones do.")
        .def("end_stop", &WaitReader::end_stop, "Read code again when it is next asked for.");
}

void init_unwinder(py::module_ &module) {
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
        .def("last_executed", &last_executed, py::arg("threads"),
             "Return what the frame executes at which the unwinding of each thread ends, the "
             "innermost of the user's if there is one: its program counter, in a frame that has "
             "called the last byte of the call; None where a stack is not plain.")
        .def("callers", &callers, py::arg("pc"), py::arg("sp"), py::arg("bp"),
             "Return the program counters of a frame's callers, as memory has them now, up to the "
             "first of the user's, if there is one; None where a stack is not plain.")
        .def("is_in_no_file", &Unwinder::is_in_no_file, py::arg("pc"),
             "Return whether PC can be code that was made at run time.")
        .def(
            "is_unlisted", &Unwinder::is_unlisted, py::arg("pc"), py::arg("is_calling"),
            "Return whether PC is in a mapped file that has no unwind information for it, or in no "
            "file at all. IS_CALLING tells that it is a return address.")
        .def(
            "found_caller",
            [](Unwinder &unwinder, std::uint64_t pc, bool is_calling,
               const std::vector<code::Value> &held) {
                Registers registers{};
                std::copy_n(held.begin(), std::min(held.size(), registers.size()),
                            registers.begin());
                return unless_unreadable<std::optional<FoundCaller>>(
                    [&] { return unwinder.found_caller(pc, is_calling, registers); }, {});
            },
            py::arg("pc"), py::arg("is_calling"), py::arg("registers"),
            "Return the caller of a frame that is_unlisted, None where it cannot be told. "
            "REGISTERS "
            "are by DWARF's numbers, rip last.")
        .def("pass_over", &Unwinder::pass_over, py::arg("pc"),
             "Go on beyond frames at PC, though they are in the user's code.");
}

}  // namespace

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

void init_code(py::module_ &module) {
    init_unwinder(module);
    init_code_map(module);
    init_function_around(module);
    init_given_frame(module);
    init_thread_wait(module);
    init_region_calls(module);
    init_entry_points(module);
    init_calls_made(module);
    init_wait_reader(module);
    module.def(
        "intercepting_libraries",
        [](const ModuleList &modules) {
            ModuleList found;
            for (const auto &each : code::intercepting_libraries(modules_of(modules))) {
                found.push_back(std::const_pointer_cast<Module>(each));
            }
            return found;
        },
        py::arg("modules"),
        "Return those libraries of tools among MODULES, which are in link order and begin with the "
        "executable, that define functions of OpenMP's, of the system's or of MPI's and call what "
        "these hide.");
    const auto define = [&](const char *question, bool (*is)(const code::EntryPoint &),
                            const char *text) {
        module.def(
            question,
            [is](const std::string &name) {
                const auto *const entry = code::entry_point(name);
                return entry != nullptr && is(*entry);
            },
            py::arg("name"), text);
    };
    define(
        "begins_region", [](const code::EntryPoint &entry) { return entry.begins_region; },
        "Tell whether the entry point of that name begins a parallel region.");
    define(
        "makes_task", [](const code::EntryPoint &entry) { return entry.makes_task; },
        "Tell whether the entry point of that name makes a task, which it may execute at once.");
}

}  // namespace gdb_ompd
