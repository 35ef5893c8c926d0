// SPDX-License-Identifier: Apache-2.0
#include "bindings.hpp"
#include "elf/address_space.hpp"
#include "elf/debug_writer.hpp"
#include "elf/elf.hpp"
#include "elf/link_map.hpp"
#include "elf/mapped_headers.hpp"
#include "elf/module.hpp"
#include "elf/process_files.hpp"
#include "elf/thread_local.hpp"

#include <filesystem>

namespace gdb_ompd {

namespace {

std::vector<std::tuple<std::uint64_t, std::uint64_t, std::string>> segments(const ElfImage &elf) {
    std::vector<std::tuple<std::uint64_t, std::uint64_t, std::string>> tuples;
    for (const Segment &segment : elf.headers().segments) {
        tuples.emplace_back(segment.address, segment.size, segment.flags);
    }
    return tuples;
}

std::optional<std::string> symbols_from(const ElfImage &elf) {
    const auto source = elf.symbols_from();
    return source ? std::optional<std::string>(text(*source)) : std::nullopt;
}

std::optional<std::string> bytes_of(const std::optional<FileName> &name) {
    return name ? std::optional(name->bytes) : std::nullopt;
}

std::optional<FileName> file_name(const std::optional<std::string> &bytes) {
    return bytes ? std::optional(FileName{*bytes}) : std::nullopt;
}

std::vector<FileName> needed(const ElfImage &elf) {
    std::vector<FileName> names;
    for (const std::string &name : elf.headers().needed) {
        names.push_back({name});
    }
    return names;
}

SymbolKind symbol_kind(const std::string &wanted) {
    for (const SymbolKind kind :
         {SymbolKind::data, SymbolKind::function, SymbolKind::label, SymbolKind::tls}) {
        if (wanted == text(kind)) {
            return kind;
        }
    }
    throw std::invalid_argument(wanted + ": no kind of symbol");
}

void init_symbol(py::module_ &module) {
    py::class_<Symbol>(module, "Symbol")
        .def(py::init([](std::string name, std::uint64_t value, std::uint64_t size,
                         const std::string &kind) {
                 return Symbol{std::move(name), value, size, symbol_kind(kind),
                               SymbolSource::recovered};
             }),
             py::arg("name"), py::arg("value"), py::arg("size"), py::arg("kind"))
        .def_property_readonly("name", [](const Symbol &symbol) { return to_text(symbol.name); })
        .def_readonly("value", &Symbol::value)
        .def_readonly("size", &Symbol::size)
        .def_property_readonly("kind", [](const Symbol &symbol) { return text(symbol.kind); })
        .def_property_readonly("source", [](const Symbol &symbol) { return text(symbol.source); });
}

template <class T> auto header(T ElfHeaders::*member) {
    return [member](const ElfImage &elf) { return elf.headers().*member; };
}

void init_elf(py::module_ &module) {
    py::class_<ElfImage, std::shared_ptr<ElfImage>>(module, "Elf")
        .def(py::init([](const FileName &path, const std::optional<FileName> &debug_path,
                         const FileName &debug_directory) {
                 return std::make_shared<ElfImage>(path.bytes, bytes_of(debug_path),
                                                   debug_directory.bytes);
             }),
             py::arg("path"), py::arg("debug_path") = py::none(),
             py::arg("debug_directory") = "/usr/lib/debug")
        .def_property_readonly("path", [](const ElfImage &elf) { return FileName{elf.path()}; })
        .def_property_readonly("debug_path",
                               [](const ElfImage &elf) { return file_name(elf.debug_path()); })
        .def_property_readonly("build_id", header(&ElfHeaders::build_id))
        .def_property_readonly("soname",
                               [](const ElfImage &elf) { return file_name(elf.headers().soname); })
        .def_property_readonly("needed", needed)
        .def_property_readonly("machine", header(&ElfHeaders::machine))
        .def_property_readonly("segments", segments)
        .def_property_readonly("symbols_from", symbols_from)
        .def("symbol", &ElfImage::symbol, py::arg("name"))
        .def("exports", &ElfImage::exports, py::arg("name"))
        .def("imports",
             [](const ElfImage &elf) {
                 py::list names;
                 for (const std::string &name : elf.imports()) {
                     names.append(to_text(name));
                 }
                 return names;
             })
        .def("function_at", &ElfImage::function_at, py::arg("value"));
}

void init_debug_files(py::module_ &module) {
    module.def(
        "write_debug_file",
        [](const FileName &runtime, const std::vector<Symbol> &symbols, const py::bytes &note,
           const FileName &out) {
            write_debug_file(ElfFile(runtime.bytes), symbols,
                             std::as_bytes(std::span(static_cast<std::string_view>(note))),
                             out.bytes);
        },
        py::arg("runtime"), py::arg("symbols"), py::arg("note"), py::arg("out"));
    module.def(
        "read_debug_note",
        [](const FileName &path) {
            const auto note = read_debug_note(ElfFile(path.bytes));
            return note ? std::optional(to_bytes(*note)) : std::nullopt;
        },
        py::arg("path"));
    module.def(
        "remove_folder",
        [](const FileName &folder) {
            std::error_code ignored;
            std::filesystem::remove_all(folder.bytes, ignored);
        },
        py::arg("folder"));
}

py::list link_map(AddressSpace &space, const py::int_ &r_debug) {
    py::list rows;
    for (const LinkMapEntry &entry : read_link_map(space, to_address(r_debug))) {
        rows.append(py::make_tuple(entry.address.value, entry.bias, FileName{entry.name}));
    }
    return rows;
}

using ListedRow = std::tuple<std::uint64_t, std::uint64_t, FileName, std::shared_ptr<ElfImage>>;

std::vector<std::shared_ptr<Module>> listed_modules(AddressSpace &space,
                                                    const std::vector<ListedRow> &rows) {
    std::vector<ListedFile> files;
    files.reserve(rows.size());
    for (const auto &[address, bias, name, elf] : rows) {
        files.push_back({{TargetAddr{address}, bias, name.bytes}, elf});
    }
    return mapped_modules(space, files);
}

std::vector<FileName> names_of_process(int process, const py::int_ &address, const FileName &name) {
    std::vector<FileName> names;
    for (std::string &each : process_files(process, to_address(address), name.bytes)) {
        names.push_back({std::move(each)});
    }
    return names;
}

void init_mapped_files(py::module_ &module) {
    py::class_<MappedHeaders>(module, "MappedHeaders")
        .def_readonly("bias", &MappedHeaders::bias)
        .def_readonly("build_id", &MappedHeaders::build_id);
    module.def(
        "headers_of_file",
        [](AddressSpace &space, const py::int_ &address) {
            return headers_of_file(space, to_address(address));
        },
        py::arg("space"), py::arg("address"));
    module.def(
        "headers_of_program",
        [](AddressSpace &space, const py::int_ &address, std::uint64_t count) {
            return headers_of_program(space, to_address(address), count);
        },
        py::arg("space"), py::arg("address"), py::arg("count"));
    module.def("process_files", &names_of_process, py::arg("process"), py::arg("address"),
               py::arg("name"));
}

void init_link_map(py::module_ &module) {
    module.def("link_map", &link_map, py::arg("space"), py::arg("r_debug"));
    module.def(
        "told_to_debuggers",
        [](AddressSpace &space, const ElfImage &executable, const py::int_ &bias) {
            const auto found = told_to_debuggers(space, executable, to_address(bias).value);
            return found ? std::optional(found->value) : std::nullopt;
        },
        py::arg("space"), py::arg("executable"), py::arg("bias"));
    module.def("can_be_mapped", &can_be_mapped, py::arg("space"), py::arg("elf"), py::arg("bias"));
    module.def("mapped_modules", &listed_modules, py::arg("space"), py::arg("files"));
}

}  // namespace

void init_symbols(py::module_ &module) {
    init_symbol(module);
    init_elf(module);
    init_debug_files(module);
    init_link_map(module);
    init_mapped_files(module);
    py::class_<Module, std::shared_ptr<Module>>(module, "Module")
        .def(py::init([](std::shared_ptr<ElfImage> elf, std::uint64_t bias, FileName name) {
                 return Module{std::move(elf), bias, std::move(name.bytes), 0, std::nullopt};
             }),
             py::arg("elf").none(false), py::arg("bias"), py::arg("name"))
        .def(
            "thread_local_block",
            [](const Module &mapped, AddressSpace &space, const py::int_ &thread_pointer) {
                const auto block = thread_local_block(space, mapped, to_address(thread_pointer));
                return block ? std::optional(block->value) : std::nullopt;
            },
            py::arg("space"), py::arg("thread_pointer"))
        .def_readonly("elf", &Module::elf)
        .def_readonly("bias", &Module::bias)
        .def_property_readonly("name", [](const Module &mapped) { return FileName{mapped.name}; });
}

}  // namespace gdb_ompd
