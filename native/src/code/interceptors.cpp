// SPDX-License-Identifier: Apache-2.0
#include "code/interceptors.hpp"

#include "code/entry_table.hpp"
#include "code/outlined_names.hpp"

#include <algorithm>
#include <array>
#include <exception>
#include <span>
#include <string>
#include <string_view>

namespace gdb_ompd::code {

namespace {

// Functions of the system's that tools look at. Memory's are not among them: a library of the
// user's may bring its own.
constexpr std::array<std::string_view, 13> systems{"pthread_mutex_lock",
                                                   "pthread_cond_wait",
                                                   "pthread_create",
                                                   "pthread_join",
                                                   "sem_wait",
                                                   "dlopen",
                                                   "read",
                                                   "write",
                                                   "open",
                                                   "poll",
                                                   "nanosleep",
                                                   "usleep",
                                                   "sched_yield"};
constexpr std::array<std::string_view, 5> mpis{"MPI_Init", "MPI_Init_thread", "MPI_Send",
                                               "MPI_Barrier", "MPI_Allreduce"};
constexpr std::string_view of_every_runtime = "omp_get_max_threads";
// What each of valgrind's tools has put in for the C library's, the name as valgrind writes it.
constexpr std::string_view valgrinds_own = "_vgr10010ZU_libcZdsoZa_malloc";
// Each sanitizer's runtime has this one.
constexpr std::string_view sanitizers_own = "__sanitizer_set_report_path";
// What the names of their functions have; C++'s as the compiler writes them.
constexpr std::array<std::string_view, 15> sanitizers{
    "__interceptor_", "sanitizer", "__tsan",   "__asan",    "__msan",
    "__lsan",         "__ubsan",   "__hwasan", "6__tsan",   "6__asan",
    "6__msan",        "6__lsan",   "7__ubsan", "8__hwasan", "14__interception"};

// The last ones of ThreadSanitizer's, which are written in assembly and have no other name.
constexpr std::array<std::string_view, 4> jumps{"setjmp", "_setjmp", "sigsetjmp", "__sigsetjmp"};

bool is_sanitizers(std::string_view name) {
    if (std::ranges::find(jumps, name) != jumps.end()) {
        return true;
    }
    return std::ranges::any_of(sanitizers, [name](std::string_view part) {
        return name.find(part) != std::string_view::npos;
    });
}

// What a program defines that is linked statically, and how names of the C library's begin.
constexpr std::string_view libcs_own = "__libc_start_main";
constexpr std::array<std::string_view, 6> libcs{"__libc_", "_IO_",      "_dl_",
                                                "_nl_",    "__pthread", "__nptl_"};

bool is_libcs(std::string_view name) {
    return std::ranges::any_of(libcs, [name](auto part) { return name.starts_with(part); });
}

// Whether a function is the user's or the runtime's, which linkers have before the C library's.
bool is_before_libc(std::string_view name) {
    return name == "main" || is_runtime_name(name) || outlined(name).has_value();
}

// Whether FILE exports one of NAMES that one of the files BEHIND it exports, too.
bool hides(const Module &file, std::span<const std::shared_ptr<const Module>> behind,
           std::string_view name) {
    return file.elf->exports(name) && std::ranges::any_of(behind, [name](const auto &other) {
               return other->elf->exports(name);
           });
}

// Of two runtimes in one process the first hides functions of the other, and is no tool: it has
// what no tool is between, too.
bool is_intercepting(const Module &file, std::span<const std::shared_ptr<const Module>> behind) {
    if (file.elf->exports(of_every_runtime)) {
        return false;
    }
    if (file.elf->exports(valgrinds_own)) {
        return true;
    }
    const auto is_hidden = [&](std::string_view name) { return hides(file, behind, name); };
    const bool hides_some = std::ranges::any_of(systems, is_hidden) ||
                            std::ranges::any_of(entry_points(), [&](const EntryPoint &entry) {
                                return entry.is_called && is_hidden(entry.name);
                            });
    const bool is_of_mpi =
        std::ranges::any_of(mpis, [&](std::string_view name) { return file.elf->exports(name); });
    if (!hides_some && !is_of_mpi) {
        return false;
    }
    const auto calls_hidden = [&](const std::string &name) {
        return (hides_some && (name == "dlsym" || name == "dlvsym")) ||
               (is_of_mpi && name.starts_with("PMPI_"));
    };
    return std::ranges::any_of(file.elf->imports(), calls_hidden);
}

}  // namespace

Modules intercepting_libraries(const Modules &modules) {
    Modules found;
    for (std::size_t at = 1; at < modules.size(); ++at) {
        try {
            if (is_intercepting(*modules[at], std::span(modules).subspan(at + 1))) {
                found.push_back(modules[at]);
            }
        } catch (const std::exception &) {
            continue;  // damaged, or replaced since it was opened: nothing to go by
        }
    }
    return found;
}

// An archive's functions are together: helpers between them need no names of their kind.
CodeRanges sanitizer_code(const Module &file) {
    CodeRanges found;
    if (!file.elf->symbol(sanitizers_own)) {
        return found;
    }
    for (const Symbol &function : file.elf->functions()) {
        if (is_sanitizers(function.name)) {
            const std::uint64_t start = file.bias + function.value;
            found.emplace_back(start, start + function.size);
        }
    }
    const auto main = file.elf->symbol("main");
    const std::uint64_t users = main ? file.bias + main->value : 0;
    if (found.empty() || (found.front().first <= users && users < found.back().second)) {
        return found;
    }
    return {{found.front().first, found.back().second}};
}

CodeRanges linked_in_libc(const Module &file) {
    if (!file.elf->symbol(libcs_own)) {
        return {};
    }
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
    for (const Symbol &function : file.elf->functions()) {
        if (is_before_libc(function.name)) {
            begin = end = 0;
        } else if (is_libcs(function.name)) {
            begin = begin == 0 ? function.value : begin;
            end = function.value + function.size;
        }
    }
    return begin == 0 ? CodeRanges() : CodeRanges{{file.bias + begin, file.bias + end}};
}

}  // namespace gdb_ompd::code
