// SPDX-License-Identifier: Apache-2.0
#include "code/code_map.hpp"

#include "code/entry_table.hpp"
#include "code/interceptors.hpp"

#include <algorithm>
#include <array>
#include <cctype>

namespace gdb_ompd::code {

namespace {

constexpr std::array<std::string_view, 25> system_libraries{
    "libc",        "libm",      "libpthread", "libdl",       "librt",       "ld",
    "libgcc_s",    "libstdc++", "libc++",     "libc++abi",   "libunwind",   "libgfortran",
    "libquadmath", "libatomic", "libarcher",  "libtsan",     "libasan",     "libubsan",
    "liblsan",     "libhwasan", "libmsan",    "libjemalloc", "libtcmalloc", "libtcmalloc_minimal",
    "libmimalloc"};
// These go on with words of their own.
constexpr std::array<std::string_view, 3> system_prefixes{"ld-linux", "libflang", "libFortran"};

bool ends_name(std::string_view rest) {
    return rest.empty() || rest.front() == '-' || rest.front() == '.';
}

}  // namespace

std::string_view text(Owner owner) {
    switch (owner) {
    case Owner::runtime:
        return "runtime";
    case Owner::system:
        return "system";
    case Owner::user:
        break;
    }
    return "user";
}

bool is_system_library(std::string_view path) {
    const std::string_view name = path.substr(path.rfind('/') + 1);
    const auto is_named = [name](std::string_view library) {
        return name.starts_with(library) && ends_name(name.substr(library.size()));
    };
    const auto goes_on = [name](std::string_view library) {
        if (!name.starts_with(library)) {
            return false;
        }
        std::string_view rest = name.substr(library.size());
        while (!rest.empty() && (std::isalnum(static_cast<unsigned char>(rest.front())) != 0 ||
                                 rest.front() == '_')) {
            rest.remove_prefix(1);
        }
        return ends_name(rest);
    };
    return std::any_of(system_libraries.begin(), system_libraries.end(), is_named) ||
           std::any_of(system_prefixes.begin(), system_prefixes.end(), goes_on);
}

CodeMap::CodeMap(const Modules &modules, const std::shared_ptr<const Module> &executable,
                 const Modules &runtimes, const std::vector<Range> &system)
    : executable_(executable), interceptors_(intercepting_libraries(modules)) {
    const auto is_runtime = [&](const auto &module) {
        return std::find(runtimes.begin(), runtimes.end(), module) != runtimes.end();
    };
    if (executable != nullptr && is_runtime(executable)) {
        linked_in_ = executable;
    }
    const auto is_tools = [this](const auto &module) {
        return std::ranges::find(interceptors_, module) != interceptors_.end();
    };
    for (const auto &module : modules) {
        const bool runtime = is_runtime(module);
        if (module == executable ||
            (!runtime && !is_tools(module) && !is_system_library(module->name))) {
            continue;
        }
        for (const Segment &segment : module->elf->headers().segments) {
            const std::uint64_t start = module->bias + segment.address;
            parts_.push_back({{start, start + segment.size},
                              runtime ? Owner::runtime : Owner::system,
                              is_tools(module)});
        }
    }
    for (const Range &range : system) {
        parts_.push_back({range, Owner::system});
    }
    for (const auto &range : executable == nullptr ? CodeRanges() : sanitizer_code(*executable)) {
        parts_.push_back({range, Owner::system, true});
    }
    for (const auto &range : executable == nullptr ? CodeRanges() : linked_in_libc(*executable)) {
        parts_.push_back({range, Owner::system});
    }
    std::sort(parts_.begin(), parts_.end(),
              [](const Part &one, const Part &other) { return one.range < other.range; });
}

const CodeMap::Part *CodeMap::part_at(std::uint64_t pc) const {
    const auto after =
        std::upper_bound(parts_.begin(), parts_.end(), pc,
                         [](std::uint64_t at, const Part &part) { return at < part.range.first; });
    return after != parts_.begin() && pc < std::prev(after)->range.second ? &*std::prev(after)
                                                                          : nullptr;
}

Owner CodeMap::owner(std::uint64_t pc) const {
    if (const Part *const part = part_at(pc)) {
        return part->owner;
    }
    return is_linked_in(pc) ? Owner::runtime : Owner::user;
}

bool CodeMap::is_tools(std::uint64_t pc) const {
    const Part *const part = part_at(pc);
    return part != nullptr && part->is_tools;
}

bool CodeMap::is_executable(std::uint64_t pc) const {
    return executable_ != nullptr &&
           std::ranges::any_of(executable_->elf->headers().segments, [&](const Segment &segment) {
               return pc - executable_->bias - segment.address < segment.size;
           });
}

bool CodeMap::is_linked_in(std::uint64_t pc) const {
    if (linked_in_ == nullptr || pc < linked_in_->bias) {
        return false;
    }
    const auto symbol = linked_in_->elf->function_at(pc - linked_in_->bias);
    return symbol && is_runtime_name(symbol->name);
}

std::optional<std::vector<CodeMap::Range>> CodeMap::foreign() const {
    if (linked_in_ != nullptr) {
        return std::nullopt;
    }
    std::vector<Range> ranges;
    for (const Part &part : parts_) {
        ranges.push_back(part.range);
    }
    return ranges;
}

}  // namespace gdb_ompd::code
