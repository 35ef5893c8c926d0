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
    py::class_<Symbol>(module, "Symbol",
                       "One symbol of an ELF file, at its link-time value.\n\nMade by hand it is "
                       "one for ``write_debug_file``, of the source ``recovered``. Raises "
                       "ValueError for a kind that is none.")
        .def(py::init([](std::string name, std::uint64_t value, std::uint64_t size,
                         const std::string &kind) {
                 return Symbol{std::move(name), value, size, symbol_kind(kind),
                               SymbolSource::recovered};
             }),
             py::arg("name"), py::arg("value"), py::arg("size"), py::arg("kind"))
        .def_property_readonly("name", [](const Symbol &symbol) { return to_text(symbol.name); })
        .def_readonly("value", &Symbol::value,
                      "For a thread-local symbol: its offset in the module's TLS block.")
        .def_readonly("size", &Symbol::size)
        .def_property_readonly(
            "kind", [](const Symbol &symbol) { return text(symbol.kind); },
            "One of ``data``, ``function``, ``label`` or ``tls``.")
        .def_property_readonly(
            "source", [](const Symbol &symbol) { return text(symbol.source); },
            "One of ``symtab``, ``debuginfo``, ``recovered`` or ``dynsym``.");
}

template <class T> auto header(T ElfHeaders::*member) {
    return [member](const ElfImage &elf) { return elf.headers().*member; };
}

void init_elf(py::module_ &module) {
    py::class_<Segment>(module, "LoadedSegment", "A part of a file that is loaded: a PT_LOAD.")
        .def_readonly("address", &Segment::address)
        .def_readonly("size", &Segment::size, "In memory.")
        .def_readonly("flags", &Segment::flags, "Such as ``r-x``.");
    py::class_<ElfImage, std::shared_ptr<ElfImage>>(
        module, "Elf",
        "The symbols and headers of one ELF file, read once.\n\n``debug_path`` names a separate "
        "debug file; without it the places of the build-id and .gnu_debuglink below "
        "``debug_directory`` are tried. Raises OSError, or ValueError for a file that is not a "
        "sound ELF file.")
        .def(py::init([](const FileName &path, const std::optional<FileName> &debug_path,
                         const FileName &debug_directory) {
                 return std::make_shared<ElfImage>(path.bytes, bytes_of(debug_path),
                                                   debug_directory.bytes);
             }),
             py::arg("path"), py::arg("debug_path") = py::none(),
             py::arg("debug_directory") = "/usr/lib/debug")
        .def_property_readonly("path", [](const ElfImage &elf) { return FileName{elf.path()}; })
        .def_property_readonly(
            "debug_path", [](const ElfImage &elf) { return file_name(elf.debug_path()); },
            "The separate debug file that is used, if any.")
        .def_property_readonly("build_id", header(&ElfHeaders::build_id), "In hex.")
        .def_property_readonly("soname",
                               [](const ElfImage &elf) { return file_name(elf.headers().soname); })
        .def_property_readonly("needed", needed)
        .def_property_readonly("machine", header(&ElfHeaders::machine),
                               "Either ``x86-64``, ``aarch64`` or the number as text.")
        .def_property_readonly("segments", header(&ElfHeaders::segments), "Each PT_LOAD.")
        .def_property_readonly(
            "symbols_from", symbols_from,
            "The best: ``symtab``, ``debuginfo``, ``recovered``, ``dynsym`` or None.")
        .def("symbol", &ElfImage::symbol, py::arg("name"),
             "Find a defined symbol by its exact name; symtab, debug file, then dynsym.")
        .def("exports", &ElfImage::exports, py::arg("name"),
             "Tell whether .dynsym defines NAME (a hash look-up, no table is read).")
        .def(
            "imports",
            [](const ElfImage &elf) {
                std::vector<py::str> names;
                for (const std::string &name : elf.imports()) {
                    names.push_back(to_text(name));
                }
                return names;
            },
            "Return the names that the file leaves to others, as the file is now.")
        .def("function_at", &ElfImage::function_at, py::arg("value"),
             "Find the function whose range holds a link-time address.");
}

void init_debug_files(py::module_ &module) {
    module.def(
        "write_debug_file",
        [](const FileName &runtime, const std::vector<Symbol> &symbols, const py::bytes &note,
           const FileName &out) {
            write_debug_file(ElfFile(runtime.bytes), symbols,
                             std::as_bytes(std::span(view_of(note))), out.bytes);
        },
        py::arg("runtime"), py::arg("symbols"), py::arg("note"), py::arg("out"),
        "Write a separate debug file for RUNTIME that holds SYMBOLS, and NOTE for the next "
        "reader.\n\nIt has the runtime's build-id, and its headers without what they stand for. "
        "The functions ``ompd_bp_*`` and ``ompd_dll_locations_valid`` also get the C++ names they "
        "have in LLVM 14 to 16. OUT appears whole or not at all. Raises OSError, or ValueError for "
        "a damaged runtime, for a symbol that lies in none of its sections, a name given twice for "
        "one place, and an OUT that is the runtime or a device.");
    module.def(
        "read_debug_note",
        [](const FileName &path) {
            const auto note = read_debug_note(ElfFile(path.bytes));
            return note ? std::optional(to_bytes(*note)) : std::nullopt;
        },
        py::arg("path"),
        "Return the note of such a file; None for any other ELF file.\n\nRaises OSError, or "
        "ValueError for what is no ELF file.");
    module.def(
        "remove_folder",
        [](const FileName &folder) {
            std::error_code ignored;
            std::filesystem::remove_all(folder.bytes, ignored);
        },
        py::arg("folder"), "Remove a folder with all that is in it, as far as that can be.");
}

using FileOfEntry = std::pair<LinkMapEntry, std::optional<std::shared_ptr<ElfImage>>>;

std::vector<std::optional<std::shared_ptr<Module>>>
listed_modules(AddressSpace &space, const std::vector<FileOfEntry> &entries) {
    std::vector<ListedFile> files;
    files.reserve(entries.size());
    for (const auto &[entry, elf] : entries) {
        files.push_back({entry, elf.value_or(nullptr)});
    }
    std::vector<std::optional<std::shared_ptr<Module>>> found;
    for (auto &mapped : mapped_modules(space, files)) {
        found.push_back(mapped ? std::optional(std::move(mapped)) : std::nullopt);
    }
    return found;
}

std::vector<FileName> names_of_process(int process, const py::int_ &address, const FileName &name) {
    std::vector<FileName> names;
    for (std::string &each : process_files(process, to_address(address), name.bytes)) {
        names.push_back({std::move(each)});
    }
    return names;
}

void init_headers(py::module_ &module) {
    py::class_<MappedHeaders>(module, "MappedHeaders",
                              "What the program headers of a mapped file say, as memory has them.")
        .def_readonly("bias", &MappedHeaders::bias)
        .def_readonly("build_id", &MappedHeaders::build_id)
        .def_property_readonly("ranges", &MappedHeaders::ranges,
                               "Where the file's parts are in memory.");
    module.def(
        "headers_of_file",
        [](AddressSpace &space, const py::int_ &address) {
            return headers_of_file(space, to_address(address));
        },
        py::arg("space"), py::arg("address"),
        "Return those of the file whose ELF header is at ADDRESS, None where memory has none.");
    module.def(
        "headers_of_program",
        [](AddressSpace &space, const py::int_ &address, std::uint64_t count) {
            return headers_of_program(space, to_address(address), count);
        },
        py::arg("space"), py::arg("address"), py::arg("count"),
        "Return those of the file whose COUNT program headers are at ADDRESS, None if unreadable.");
    module.def("process_files", &names_of_process, py::arg("process"), py::arg("address"),
               py::arg("name"),
               "Return names that the kernel has for the file that PROCESS has mapped at ADDRESS "
               "and calls NAME, likeliest first. What is there need not be that file, or not be "
               "there at all.");
}

void init_link_map(py::module_ &module) {
    py::class_<LinkMapEntry>(module, "LinkMapEntry",
                             "An entry of the dynamic linker's list of what it has mapped.")
        .def(py::init([](const py::int_ &address, std::uint64_t bias, FileName name) {
                 return LinkMapEntry{to_address(address), bias, std::move(name.bytes)};
             }),
             py::arg("address"), py::arg("bias"), py::arg("name"))
        .def_property_readonly(
            "address", [](const LinkMapEntry &entry) { return entry.address.value; },
            "Of the entry itself; 0 for a program that the linker has not mapped.")
        .def_readonly("bias", &LinkMapEntry::bias)
        .def_property_readonly(
            "name", [](const LinkMapEntry &entry) { return FileName{entry.name}; },
            "The file's, as the linker has it.");
    module.def(
        "link_map",
        [](AddressSpace &space, const py::int_ &r_debug) {
            return read_link_map(space, to_address(r_debug));
        },
        py::arg("space"), py::arg("r_debug"),
        "List what the dynamic linker has mapped, of all namespaces. R_DEBUG is its ``struct "
        "r_debug`` (<link.h>). Inconsistent for "
        "a list without end.");
    module.def(
        "told_to_debuggers",
        [](AddressSpace &space, const ElfImage &executable, const py::int_ &bias) {
            const auto found = told_to_debuggers(space, executable, to_address(bias).value);
            return found ? std::optional(found->value) : std::nullopt;
        },
        py::arg("space"), py::arg("executable"), py::arg("bias"),
        "Return where that structure is by the executable's DT_DEBUG (<elf.h>), None if unknown.");
    module.def("can_be_mapped", &can_be_mapped, py::arg("space"), py::arg("elf"), py::arg("bias"),
               "Tell whether ELF can be what is mapped there: no only where the build-id in memory "
               "is another one or, of a file without one, its tables are.");
    module.def("mapped_modules", &listed_modules, py::arg("space"), py::arg("files"),
               "Return files as they are mapped, with their thread-local storage. FILES are "
               "entries of the link map, or a static program's executable, each with what its file "
               "is; None for one without.");
}

}  // namespace

void init_symbols(py::module_ &module) {
    init_symbol(module);
    init_elf(module);
    init_debug_files(module);
    py::class_<Module, std::shared_ptr<Module>>(module, "Module",
                                                "An ELF file mapped into an address space.")
        .def(py::init([](std::shared_ptr<ElfImage> elf, std::uint64_t bias, FileName name) {
                 return Module{std::move(elf), bias, std::move(name.bytes), 0, std::nullopt};
             }),
             py::arg("elf").none(false), py::arg("bias"), py::arg("name"))
        .def_readonly("elf", &Module::elf)
        .def_readonly("bias", &Module::bias)
        .def_property_readonly("name", [](const Module &mapped) { return FileName{mapped.name}; });
}

void init_mapped_files(py::module_ &module) {
    init_link_map(module);
    init_headers(module);
}

}  // namespace gdb_ompd
