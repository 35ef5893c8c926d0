// SPDX-License-Identifier: Apache-2.0
#include "runtimes/offloading.hpp"

#include "code/outlined_names.hpp"
#include "runtimes/family.hpp"
#include "runtimes/gnu/devices.hpp"
#include "runtimes/llvm/devices.hpp"

#include <algorithm>
#include <array>
#include <stdexcept>

namespace gdb_ompd {

namespace {

// LLVM's, which the program calls.
constexpr const char *registers_images = "__tgt_register_lib";
// GCC's runtime, which does this, too.
constexpr const char *registers_images_of_gcc = "GOMP_offload_register_ver";
// What plugins define: LLVM's up to 19, and GCC's.
constexpr std::array plugin_symbols{"__tgt_rtl_is_valid_binary", "GOMP_OFFLOAD_get_num_devices"};
// LLVM's plugin for the host calls the functions of its images by it.
constexpr std::string_view calling_library = "libffi.so";

bool exports_any(const ElfImage &elf, std::span<const char *const> names) {
    try {
        return std::ranges::any_of(names, [&](const char *name) { return elf.exports(name); });
    } catch (const std::invalid_argument &) {
        return false;  // damaged: nothing to go by
    }
}

bool is_needed_by(const Module &library, const Modules &plugins) {
    const auto &own = library.elf->headers().soname;
    return own && own->starts_with(calling_library) &&
           std::ranges::any_of(plugins, [&](const auto &plugin) {
               return std::ranges::count(plugin->elf->headers().needed, *own) > 0;
           });
}

// What code with such constructs calls.
constexpr std::array<std::string_view, 2> called_for_devices{"GOMP_target", "__tgt_"};

// By the calls of a file that needs a runtime, or has one in it, or by the functions in it. Debug
// information, of which there can be much, has more of clang's code alone.
bool has_targets(const ElfImage &elf, bool is_executable) {
    const auto needs = [&](std::string_view part) {
        return std::ranges::any_of(elf.headers().needed, [&](const std::string &name) {
            return name.find(part) != std::string::npos;
        });
    };
    if (!needs("omp")) {
        return is_executable && family_of(elf, true);
    }
    const auto calls_device = [](const std::string &name) {
        return std::ranges::any_of(called_for_devices,
                                   [&](std::string_view each) { return name.starts_with(each); });
    };
    return std::ranges::any_of(elf.imports(), calls_device) ||
           std::ranges::any_of(
               elf.functions(),
               [](const Symbol &one) { return code::target_region(one.name).has_value(); }) ||
           (!needs("gomp") && elf.has_debug_name(code::target_region_prefix));
}

}  // namespace

bool is_plugin(const ElfImage &elf) { return exports_any(elf, plugin_symbols); }

Modules offloading_libraries(const Modules &modules) {
    Modules found;
    Modules plugins;
    for (const auto &module : modules) {
        if (is_plugin(*module->elf)) {
            plugins.push_back(module);
        } else if (exports_any(*module->elf, std::array{registers_images})) {
            found.push_back(module);
        }
    }
    std::ranges::copy_if(modules, std::back_inserter(found),
                         [&](const auto &module) { return is_needed_by(*module, plugins); });
    found.insert(found.end(), plugins.begin(), plugins.end());
    return found;
}

bool may_offload(const Modules &modules) {
    const auto has = [&](const auto &module) {
        try {
            return has_targets(*module->elf, module == modules.front());
        } catch (const std::exception &) {
            return false;  // it cannot be read any more
        }
    };
    return std::ranges::any_of(modules, has);
}

std::vector<OffloadDevices> offload_devices(AddressSpace &space, const Modules &modules) {
    Modules plugins;
    std::ranges::copy_if(modules, std::back_inserter(plugins),
                         [](const auto &module) { return is_plugin(*module->elf); });
    const llvm::Memory memory = llvm::Memory(space).for_walk(Budget{});
    std::vector<OffloadDevices> found;
    for (const auto &module : modules) {
        if (exports_any(*module->elf, std::array{registers_images})) {
            found.push_back(llvm::read_devices(memory, *module, plugins));
        } else if (exports_any(*module->elf, std::array{registers_images_of_gcc})) {
            found.push_back(gnu::read_devices(space, *module, plugins));
        }
    }
    return found;
}

}  // namespace gdb_ompd
