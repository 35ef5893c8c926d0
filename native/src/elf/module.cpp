// SPDX-License-Identifier: Apache-2.0
#include "elf/module.hpp"

namespace gdb_ompd {

namespace {

// How well a module's name fits a library's name, which "may not be an exact
// match" (section 5.4.3.1).
enum class Fit { none, stem, file_name, path };

std::string_view base_name(std::string_view path) { return path.substr(path.rfind('/') + 1); }

// "libomp" for libomp.so and libomp.so.5.
std::string_view stem(std::string_view path) {
    const std::string_view name = base_name(path);
    for (std::size_t at = name.find(".so"); at != std::string_view::npos;
         at = name.find(".so", at + 1)) {
        if (at + 3 == name.size() || name[at + 3] == '.') {
            return name.substr(0, at);
        }
    }
    return name;
}

Fit fit_of(const Module &module, std::string_view file) {
    if (file == module.name || file == module.elf->path()) {
        return Fit::path;
    }
    Fit best = Fit::none;
    const std::string_view soname =
        module.elf->headers().soname ? *module.elf->headers().soname : std::string_view{};
    for (const std::string_view own :
         {std::string_view(module.name), std::string_view(module.elf->path()), soname}) {
        if (own.empty()) {
            continue;
        }
        if (base_name(own) == base_name(file)) {
            return Fit::file_name;
        }
        if (stem(own) == stem(file)) {
            best = Fit::stem;
        }
    }
    return best;
}

std::optional<FoundSymbol> find_in_matching(const Modules &modules, std::string_view name,
                                            std::string_view file) {
    for (const Fit wanted : {Fit::path, Fit::file_name, Fit::stem}) {
        for (const auto &module : modules) {
            if (fit_of(*module, file) != wanted) {
                continue;
            }
            if (auto symbol = module->elf->symbol(name)) {
                return FoundSymbol{module.get(), *std::move(symbol)};
            }
        }
    }
    return std::nullopt;
}

}  // namespace

std::optional<FoundSymbol> find_symbol(const Modules &modules, std::string_view name,
                                       const std::optional<std::string> &file,
                                       const std::optional<std::string> &home) {
    for (const auto &preferred : {file, home}) {
        if (!preferred || preferred->empty()) {
            continue;
        }
        if (auto found = find_in_matching(modules, name, *preferred)) {
            return found;
        }
    }
    for (const auto &module : modules) {
        if (auto symbol = module->elf->symbol(name)) {
            return FoundSymbol{module.get(), *std::move(symbol)};
        }
    }
    return std::nullopt;
}

}  // namespace gdb_ompd
