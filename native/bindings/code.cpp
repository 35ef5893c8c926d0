// SPDX-License-Identifier: Apache-2.0
#include "code/code_map.hpp"
#include "code/construct_call.hpp"
#include "code/given_functions.hpp"
#include "code/interceptors.hpp"
#include "elf/address_space.hpp"
#include "stop/waits.hpp"

#include "frames.hpp"

#include <algorithm>
#include <iterator>
#include <vector>

PYBIND11_MAKE_OPAQUE(std::vector<std::optional<gdb_ompd::Registers>>)

namespace gdb_ompd {

namespace {

using ModuleList = std::vector<std::shared_ptr<Module>>;

Modules modules_of(const ModuleList &list) { return {list.begin(), list.end()}; }

std::span<const code::NamedRegister> preserved(WaitReader &reader) {
    const auto *const architecture = reader.calls().functions().architecture();
    return architecture == nullptr ? std::span<const code::NamedRegister>()
                                   : architecture->convention().preserved;
}

py::tuple to_tuple(const ThreadWait &wait) {
    py::list places;
    for (const CallPlace &place : wait.places) {
        places.append(
            py::make_tuple(place.address, place.function, py::tuple(py::cast(place.starts))));
    }
    return py::make_tuple(to_text(wait.entry_point), to_text(wait.outside), to_text(wait.library),
                          wait.caller, text(wait.kind), wait.object, wait.undeferred,
                          wait.in_runtime, wait.frameless, wait.function,
                          py::tuple(py::cast(wait.jumps)), py::tuple(places), wait.is_certain,
                          wait.before_body);
}

// DWARF's numbers of the registers that a debugger gives.
constexpr std::array<std::size_t, 10> given_registers{1, 5, 3, 6, 7, 12, 13, 14, 15, 16};
using Given = std::array<std::uint64_t, given_registers.size()>;

std::unique_ptr<ThreadStack> given(const Given &values) {
    Registers registers;
    for (std::size_t i = 0; i < given_registers.size(); ++i) {
        registers[given_registers[i]] = values[i];
    }
    return std::make_unique<ThreadStack>(registers, std::nullopt);
}

// Null for one that is not known.
using ThreadStacks = std::vector<ThreadStack *>;

// What READ tells of each thread, OTHERWISE of one that cannot be read.
template <class Result, class Read>
std::vector<Result> of_each(const ThreadStacks &threads, Read read, Result otherwise) {
    std::vector<Result> found;
    for (ThreadStack *const stack : threads) {
        found.push_back(stack == nullptr
                            ? otherwise
                            : unless_unreadable<Result>([&] { return read(*stack); }, otherwise));
    }
    return found;
}

std::vector<py::object> read_threads(WaitReader &reader, Unwinder &unwinder,
                                     const ThreadStacks &threads) {
    // Threads that are at one place share what is told of them.
    std::optional<WaitReader::Read> last;
    py::object told;
    return of_each<py::object>(
        threads,
        [&](ThreadStack &stack) -> py::object {
            auto found = reader.read(unwinder, stack);
            if (!found) {
                return py::none();
            }
            if (last != found) {
                told = py::make_tuple(py::tuple(py::cast(found->addresses)), to_tuple(found->wait));
                last = std::move(found);
            }
            return told;
        },
        py::none());
}

// Calls, the last one's lack of a body, and the user's frames of each thread.
std::vector<py::object> region_calls(WaitReader &reader, Unwinder &unwinder,
                                     const ThreadStacks &threads) {
    return of_each<py::object>(
        threads,
        [&](ThreadStack &stack) -> py::object {
            const auto found = reader.region_calls(unwinder, stack);
            if (!found) {
                return py::none();
            }
            py::list calls;
            for (const auto &[returns_to, body] : found->calls) {
                calls.append(py::make_tuple(returns_to, body));
            }
            py::list users;
            for (const auto &[pc, start, called_by_user] : found->users) {
                users.append(py::make_tuple(pc, start, called_by_user));
            }
            return py::make_tuple(calls, found->in_last, users);
        },
        py::none());
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
std::optional<py::tuple> callers(Unwinder &unwinder, std::uint64_t pc, std::uint64_t sp,
                                 std::uint64_t bp) {
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
    py::tuple found(*count - 1);
    for (std::size_t i = 1; i < *count; ++i) {
        found[i - 1] = stack.frames()[i].pc;
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

std::vector<py::tuple> entry_points() {
    std::vector<py::tuple> found;
    for (const code::EntryPoint &entry : code::entry_points()) {
        found.push_back(py::make_tuple(entry.name, entry.waits() ? text(entry.kind) : "",
                                       entry.begins_region, entry.body, entry.record));
    }
    return found;
}

void init_code_map(py::module_ &module) {
    using code::CodeMap;
    py::class_<CodeMap, std::shared_ptr<CodeMap>>(module, "CodeMap")
        .def(py::init([](const ModuleList &modules, std::shared_ptr<Module> executable,
                         const ModuleList &runtimes) {
                 return std::make_shared<CodeMap>(modules_of(modules), std::move(executable),
                                                  modules_of(runtimes));
             }),
             py::arg("modules"), py::arg("executable"), py::arg("runtimes"))
        .def(
            "code_at",
            [](const CodeMap &map, const py::int_ &pc) {
                return text(map.owner(to_address(pc).value));
            },
            py::arg("pc"))
        .def(
            "is_user",
            [](const CodeMap &map, const py::int_ &pc) {
                return map.is_user(to_address(pc).value);
            },
            py::arg("pc"))
        .def_property_readonly("foreign", &CodeMap::foreign);
}

void init_function_around(py::module_ &module) {
    using code::FunctionAround;
    py::class_<FunctionAround>(module, "FunctionAround")
        .def_property_readonly("module",
                               [](const FunctionAround &one) { return FileName{one.module->name}; })
        .def_property_readonly("bias", [](const FunctionAround &one) { return one.module->bias; })
        .def_property_readonly(
            "name", [](const FunctionAround &one) { return to_text(one.name, "surrogateescape"); })
        .def_readonly("start", &FunctionAround::start)
        .def_readonly("is_entry", &FunctionAround::is_entry)
        .def("is_named_by", &FunctionAround::is_named_by, py::arg("symbol"));
}

void init_wait_reader(py::module_ &module) {
    py::class_<WaitReader>(module, "WaitReader")
        .def(py::init([](std::shared_ptr<AddressSpace> space, const ModuleList &modules,
                         std::shared_ptr<code::CodeMap> map, const ModuleList &runtimes) {
                 return std::make_unique<WaitReader>(std::move(space), modules_of(modules),
                                                     std::move(map), modules_of(runtimes));
             }),
             py::arg("space").none(false), py::arg("modules"), py::arg("code").none(false),
             py::arg("runtimes"))
        .def_property_readonly("preserved_registers", &names_preserved)
        .def(
            "read",
            [](WaitReader &reader, const std::vector<GivenFrame> &frames,
               std::optional<std::size_t> user) {
                return to_tuple(reader.read(frames_of(reader, frames), user));
            },
            py::arg("frames"), py::arg("user"))
        .def("read_threads", &read_threads, py::arg("unwinder"), py::arg("threads"))
        .def("region_calls", &region_calls, py::arg("unwinder"), py::arg("threads"))
        .def(
            "called",
            [](WaitReader &reader, std::uint64_t return_address) {
                const auto called = reader.calls().of_call(return_address);
                return called ? name_of(called->entry) : std::nullopt;
            },
            py::arg("return_address"))
        .def(
            "entry_point_at",
            [](WaitReader &reader, std::uint64_t pc) { return name_of(reader.calls().around(pc)); },
            py::arg("pc"))
        .def(
            "has_lines",
            [](WaitReader &reader, std::uint64_t pc) { return reader.calls().has_lines(pc); },
            py::arg("pc"))
        .def(
            "function_around",
            [](WaitReader &reader, std::uint64_t pc) {
                return reader.calls().functions().around(pc);
            },
            py::keep_alive<0, 1>(), py::arg("pc"))
        .def(
            "only_giver_of",
            [](WaitReader &reader, std::uint64_t function) {
                return code::only_giver_of(reader.calls().functions(), function);
            },
            py::arg("function"))
        .def(
            "calls_made",
            [](WaitReader &reader, std::uint64_t pc) {
                std::vector<std::tuple<std::uint64_t, std::uint64_t, std::uint64_t>> found;
                for (const auto &call : reader.calls().calls_made(pc)) {
                    found.emplace_back(call.address, call.returns_to, call.target);
                }
                return found;
            },
            py::arg("pc"))
        .def(
            "ways_inside",
            [](WaitReader &reader, std::uint64_t pc) { return reader.calls().ways_inside(pc); },
            py::arg("pc"))
        .def(
            "has_pushed_arguments",
            [](WaitReader &reader, std::uint64_t pc) {
                return reader.calls().has_pushed_arguments(pc);
            },
            py::arg("pc"))
        .def(
            "jumps_out",
            [](WaitReader &reader, std::uint64_t pc) { return reader.calls().jumps_out(pc); },
            py::arg("pc"))
        .def(
            "names_its_function",
            [](WaitReader &reader, std::uint64_t return_address) {
                return reader.calls().is_direct(return_address);
            },
            py::arg("return_address"))
        .def(
            "goes_on_to",
            [](WaitReader &reader, std::uint64_t function, std::uint64_t pc) {
                return reader.calls().goes_on_to(function, pc);
            },
            py::arg("function"), py::arg("pc"))
        .def(
            "body_given",
            [](WaitReader &reader, const std::vector<GivenFrame> &frames) {
                return reader.body_given(frames_of(reader, frames));
            },
            py::arg("frames"))
        .def(
            "function_called",
            [](WaitReader &reader, const GivenFrame &frame) {
                return reader.calls().function_called(frames_of(reader, {frame}).front());
            },
            py::arg("frame"))
        .def(
            "is_in_region_call",
            [](WaitReader &reader, std::uint64_t pc) {
                return reader.calls().is_in_region_call(pc);
            },
            py::arg("pc"))
        .def(
            "call_target",
            [](WaitReader &reader, std::uint64_t return_address) -> std::optional<std::uint64_t> {
                const auto &targets = reader.calls().targets().targets(return_address);
                return targets.size() == 1 ? std::optional(targets.front()) : std::nullopt;
            },
            py::arg("return_address"))
        .def(
            "construct",
            [](WaitReader &reader, std::uint64_t pc, const std::string &entry) {
                return code::construct_call(reader.calls(), pc, entry);
            },
            py::arg("pc"), py::arg("entry"))
        .def(
            "sets_up_frame",
            [](WaitReader &reader, std::uint64_t start) {
                return reader.calls().targets().sets_up_frame(start);
            },
            py::arg("start"))
        .def("end_stop", &WaitReader::end_stop);
}

void init_unwinder(py::module_ &module) {
    py::class_<ThreadStack>(module, "ThreadStack")
        .def_static(
            "traced",
            [](const std::vector<int> &lwps, std::optional<int> process) {
                return ThreadStack::traced(lwps, process);
            },
            py::arg("lwps"), py::arg("process"))
        .def_static("given", &given, py::arg("values"));
    py::class_<Unwinder>(module, "Unwinder")
        .def(py::init([](std::shared_ptr<AddressSpace> space, const ModuleList &modules,
                         std::vector<Unwinder::Range> foreign) {
                 return std::make_unique<Unwinder>(std::move(space), modules_of(modules),
                                                   std::move(foreign));
             }),
             py::arg("space").none(false), py::arg("modules"), py::arg("foreign"))
        .def("last_executed", &last_executed, py::arg("threads"))
        .def("callers", &callers, py::arg("pc"), py::arg("sp"), py::arg("bp"))
        .def("pass_over", &Unwinder::pass_over, py::arg("pc"));
}

}  // namespace

std::vector<code::Frame> frames_of(WaitReader &reader, const std::vector<GivenFrame> &given) {
    std::vector<code::Register> numbers;
    if (const auto *const architecture = reader.calls().functions().architecture()) {
        for (const auto &one : preserved(reader)) {
            numbers.push_back(one.number);
        }
        const auto arguments = architecture->convention().arguments;
        numbers.insert(numbers.end(), {arguments[0], arguments[2]});
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
    init_wait_reader(module);
    module.def("entry_points", &entry_points);
    module.def(
        "intercepting_libraries",
        [](const ModuleList &modules) {
            ModuleList found;
            for (const auto &each : code::intercepting_libraries(modules_of(modules))) {
                found.push_back(std::const_pointer_cast<Module>(each));
            }
            return found;
        },
        py::arg("modules"));
    const auto define = [&](const char *question, bool (*is)(const code::EntryPoint &)) {
        module.def(
            question,
            [is](const std::string &name) {
                const auto *const entry = code::entry_point(name);
                return entry != nullptr && is(*entry);
            },
            py::arg("name"));
    };
    define("begins_region", [](const code::EntryPoint &entry) { return entry.begins_region; });
    define("makes_task", [](const code::EntryPoint &entry) { return entry.makes_task; });
}

}  // namespace gdb_ompd
