// SPDX-License-Identifier: Apache-2.0
#include "elf/address_space.hpp"
#include "elf/thread_local.hpp"

#include "bindings.hpp"
#include "python_target.hpp"

#include <stdexcept>
#include <vector>

namespace gdb_ompd {

namespace {

std::endian byte_order(const std::string &name) {
    if (name == "little") {
        return std::endian::little;
    }
    if (name == "big") {
        return std::endian::big;
    }
    throw std::invalid_argument(R"(byte_order is "little" or "big")");
}

std::shared_ptr<AddressSpace> make(Typed<"Target"> target, std::string machine,
                                   const std::string &order,
                                   const std::array<std::uint8_t, 6> &sizes,
                                   std::size_t cache_line) {
    Layout layout{std::move(machine),
                  byte_order(order),
                  {sizes[0], sizes[1], sizes[2], sizes[3], sizes[4], sizes[5]}};
    return std::make_shared<AddressSpace>(std::make_shared<PythonTarget>(std::move(target)),
                                          std::move(layout), cache_line);
}

void set_modules(AddressSpace &space, const std::vector<std::shared_ptr<Module>> &modules,
                 std::optional<FileName> home) {
    for (const auto &module : modules) {
        if (module == nullptr) {
            throw std::invalid_argument("None is not a module");
        }
    }
    space.set_modules({modules.begin(), modules.end()},
                      home ? std::optional(std::move(home->bytes)) : std::nullopt);
}

py::bytes read(AddressSpace &space, const py::int_ &address, std::size_t size) {
    std::vector<std::byte> data(size);
    space.read(to_address(address), data);
    return to_bytes(data);
}

std::optional<py::bytes> read_string(AddressSpace &space, const py::int_ &address,
                                     std::size_t limit) {
    std::vector<std::byte> text(limit);
    const std::size_t size = space.read_string(to_address(address), text);
    if (size == 0 || text[size - 1] != std::byte{0}) {
        return std::nullopt;
    }
    return to_bytes(std::span(text).first(size - 1));
}

void write(AddressSpace &space, const py::int_ &address, const py::bytes &data) {
    space.write(to_address(address), std::as_bytes(std::span(view_of(data))));
}

std::optional<std::uint64_t> symbol_address(AddressSpace &space, const std::string &name,
                                            const std::optional<std::string> &file,
                                            std::optional<std::uint64_t> thread_pointer) {
    const auto pointer = thread_pointer ? std::optional(TargetAddr{*thread_pointer}) : std::nullopt;
    const auto found = space.symbol_address(name, file, pointer);
    return found ? std::optional(found->value) : std::nullopt;
}

}  // namespace

void init_address_space(py::module_ &module) {
    module.def("questions_under_way", &questions_under_way,
               "Return how many questions to a target are waiting for their answers: meanwhile "
               "nothing that native code has in its hands may be dropped.");
    py::class_<AddressSpace, std::shared_ptr<AddressSpace>>(
        module, "AddressSpace",
        "A target's memory, symbols and types: the address space context of OMPD.\n\nReads go "
        "through a cache of whole lines that ``drop_cache`` empties.")
        .def(py::init(&make), py::arg("target"), py::kw_only(), py::arg("machine") = "x86-64",
             py::arg("byte_order") = "little",
             py::arg("type_sizes") = py::make_tuple(1, 2, 4, 8, 8, 8), py::arg("cache_line") = 4096)
        .def("set_modules", &set_modules, py::arg("modules"), py::arg("home") = py::none(),
             "Set what is mapped, executable first, then libraries in load order.\n\nHOME is the "
             "file name that stands in where libompd gives none: the runtime this address space is "
             "about (a process can hold two).")
        .def("drop_cache", [](AddressSpace &space) { space.cache().clear(); })
        .def("read", &read, py::arg("address"), py::arg("size"))
        .def(
            "read_uint",
            [](AddressSpace &space, const py::int_ &address, std::size_t size) {
                return space.read_uint(to_address(address), size);
            },
            py::arg("address"), py::arg("size"),
            "Read an unsigned integer in the target's byte order.")
        .def(
            "read_pointer",
            [](AddressSpace &space, const py::int_ &address) {
                return space.read_pointer(to_address(address)).value;
            },
            py::arg("address"))
        .def("read_string", &read_string, py::arg("address"), py::arg("limit") = 4096,
             "Read up to the NUL, without it; None when there is none within LIMIT.")
        .def("write", &write, py::arg("address"), py::arg("data"))
        .def("symbol_address", &symbol_address, py::arg("name"), py::arg("file") = py::none(),
             py::arg("thread_pointer") = py::none(),
             "Look NAME up as the OMPD callback does (section 5.4.3.1); None if unknown.\n\nA "
             "thread-local symbol needs THREAD_POINTER, and its block allocated.")
        .def(
            "thread_local_block",
            [](AddressSpace &space, const Module &mapped, const py::int_ &thread_pointer) {
                const auto pointer = to_address(thread_pointer);
                const auto block = thread_local_block(space, mapped, pointer).address;
                return block ? std::optional(block->value) : std::nullopt;
            },
            py::arg("module"), py::arg("thread_pointer"),
            "Return where a thread keeps its variables of a file, None if it has not allocated "
            "them, or that is not known.")
        .def("clone_context", &AddressSpace::clone,
             "Return another context with the same target and cache, and a copy of the list of "
             "modules and the home.\n\nlibompd keys its caches by the context's address, so a "
             "runtime with another layout needs a context of its own.")
        .def_property_readonly(
            "target_reads", [](AddressSpace &space) { return space.cache().target_reads(); },
            "How many times Target.read_memory was called.")
        .def_property_readonly("cached_lines",
                               [](AddressSpace &space) { return space.cache().line_count(); });
}

}  // namespace gdb_ompd
