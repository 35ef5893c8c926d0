// SPDX-License-Identifier: Apache-2.0
#include "elf/module.hpp"

#include <algorithm>
#include <functional>
#include <utility>

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

}  // namespace

Modules in_search_order(const Modules &modules, std::string_view file) {
    std::vector<std::pair<Fit, std::shared_ptr<const Module>>> fitting;
    for (const auto &module : modules) {
        fitting.emplace_back(fit_of(*module, file), module);
    }
    std::ranges::stable_sort(fitting, std::ranges::greater{},
                             [](const auto &each) { return each.first; });
    Modules ordered;
    for (auto &[fit, module] : fitting) {
        ordered.push_back(std::move(module));
    }
    return ordered;
}

bool is_copy_of(std::string_view path, std::string_view file) {
    const std::string_view own = stem(path);
    const std::string_view library = stem(file);
    return file.find('/') == std::string_view::npos && own.starts_with(library) &&
           (own.size() == library.size() || own[library.size()] == '-');
}

std::optional<FoundSymbol> find_symbol(const Modules &modules, std::string_view name) {
    for (const auto &module : modules) {
        if (auto symbol = module->elf->symbol(name)) {
            return FoundSymbol{module.get(), *std::move(symbol)};
        }
    }
    return std::nullopt;
}

}  // namespace gdb_ompd
