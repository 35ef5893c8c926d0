// SPDX-License-Identifier: Apache-2.0
#include "elf/address_space.hpp"

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

std::shared_ptr<AddressSpace> make(py::object target, std::string machine, const std::string &order,
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
    const std::string_view view = data;
    space.write(to_address(address), std::as_bytes(std::span(view)));
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
    module.def("questions_under_way", &questions_under_way);
    py::class_<AddressSpace, std::shared_ptr<AddressSpace>>(module, "AddressSpace")
        .def(py::init(&make), py::arg("target"), py::kw_only(), py::arg("machine") = "x86-64",
             py::arg("byte_order") = "little",
             py::arg("type_sizes") = py::make_tuple(1, 2, 4, 8, 8, 8), py::arg("cache_line") = 4096)
        .def("set_modules", &set_modules, py::arg("modules"), py::arg("home") = py::none())
        .def("drop_cache", [](AddressSpace &space) { space.cache().clear(); })
        .def("read", &read, py::arg("address"), py::arg("size"))
        .def(
            "read_uint",
            [](AddressSpace &space, const py::int_ &address, std::size_t size) {
                return space.read_uint(to_address(address), size);
            },
            py::arg("address"), py::arg("size"))
        .def(
            "read_pointer",
            [](AddressSpace &space, const py::int_ &address) {
                return space.read_pointer(to_address(address)).value;
            },
            py::arg("address"))
        .def("read_string", &read_string, py::arg("address"), py::arg("limit") = 4096)
        .def("write", &write, py::arg("address"), py::arg("data"))
        .def("symbol_address", &symbol_address, py::arg("name"), py::arg("file") = py::none(),
             py::arg("thread_pointer") = py::none())
        .def("clone_context", &AddressSpace::clone)
        .def_property_readonly("target_reads",
                               [](AddressSpace &space) { return space.cache().target_reads(); })
        .def_property_readonly("cached_lines",
                               [](AddressSpace &space) { return space.cache().line_count(); });
}

}  // namespace gdb_ompd
