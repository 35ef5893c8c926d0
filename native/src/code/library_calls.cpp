// SPDX-License-Identifier: Apache-2.0
#include "code/library_calls.hpp"

#include <algorithm>
#include <array>

namespace gdb_ompd::code {

namespace {

constexpr std::array<std::string_view, 6> starters{"_start", "__clone", "__clone3",
                                                   "clone",  "clone3",  "start_thread"};

// What ends the process or a thread, and how many frames it has until it calls the program's code.
struct Ends {
    std::string_view name;
    std::size_t frames = 1;
};
constexpr std::array ends{Ends{"exit", 2}, Ends{"quick_exit", 2}, Ends{"call_tls_dtors"},
                          Ends{"nptl_deallocate_tsd"}};
constexpr std::array<std::string_view, 3> finalizing{"dl_fini", "dl_call_fini", "cxa_finalize"};

std::size_t own_frames(std::string_view name) {
    const auto *const found = std::ranges::find(ends, name, &Ends::name);
    return found == ends.end() ? 0 : found->frames;
}

bool is_one_of(std::span<const std::string_view> names, std::string_view name) {
    return std::ranges::find(names, name) != names.end();
}

// gfortran's functions for what a program calls: with the kinds of its arguments.
constexpr std::string_view fortrans = "gfortran_";
constexpr std::array<std::string_view, 5> kinds{"_i4", "_i8", "_sub", "_i4", "_i8"};

std::string as_called(const std::string &function) {
    std::string_view name = function;
    for (const std::string_view kind : kinds) {
        name.remove_suffix(name.ends_with(kind) ? kind.size() : 0);
    }
    const bool is_called = name.starts_with(fortrans) && name.size() < function.size();
    return is_called ? std::string(name.substr(fortrans.size())) : function;
}

constexpr std::string_view starts_main = "libc_start_";

// Py_BytesMain, Rf_mainloop: what a program calls that is all in its library.
bool is_whole_program(std::string_view name) {
    return name.find("main") != std::string_view::npos ||
           name.find("Main") != std::string_view::npos;
}

}  // namespace

bool is_mpi(std::string_view function) {
    function.remove_prefix(function.starts_with('P') || function.starts_with('p') ? 1 : 0);
    return function.starts_with("MPI_") ||
           (function.starts_with("mpi_") && function.ends_with('_'));
}

bool starts_stack(std::string_view function) {
    const std::size_t plain = std::min(function.find_first_not_of('_'), function.size());
    return is_one_of(starters, function) || function.substr(plain).starts_with(starts_main);
}

std::string LibraryCalls::outside(std::span<const Frame> frames, const Frame *user) const {
    if (frames.empty()) {
        return {};
    }
    if (user != nullptr) {
        for (const std::uint64_t target : targets_.targets(user->pc)) {
            const auto name = code_.is_user(target) ? std::nullopt : functions_.plain_name(target);
            if (name) {
                return as_called(*name);
            }
        }
    }
    // A plain name has no underscores. A return address behind a call that never returns is in the
    // next function.
    constexpr std::string_view plain_start = "start";
    const auto name = [&] {
        return as_called(
            functions_.plain_name_around(frames.back().pc - (frames.size() > 1 ? 1 : 0)));
    };
    const auto drop = [&](std::size_t count) { frames = frames.first(frames.size() - count); };
    while (frames.size() > 1 && (name().empty() || starts_stack(name()) || name() == plain_start)) {
        drop(1);
    }
    // A handler or a destructor that has ended with a jump has left no frame.
    const std::size_t own = own_frames(name());
    if (own == 0 || frames.size() <= own) {
        return name();
    }
    const std::string ends = name();
    drop(own);
    return name().empty() || is_one_of(finalizing, name()) ? ends : name();
}

bool LibraryCalls::has_lines(std::uint64_t pc) const {
    const Module *const module = functions_.module_at(pc);
    return module != nullptr && module->elf->has_lines();
}

// Whether MODULE is linked against the OTHER, by its name or, without one, by that of its file.
bool LibraryCalls::needs(const Module &module, const Module &other) {
    const auto &needed = module.elf->headers().needed;
    const auto &name = other.elf->headers().soname;
    const std::string file = name ? *name : other.name.substr(other.name.rfind('/') + 1);
    return std::ranges::find(needed, file) != needed.end();
}

bool LibraryCalls::uses_openmp(const Module &module) const {
    return std::ranges::any_of(runtimes_, [&](const auto &runtime) {
        return &module == runtime.get() || needs(module, *runtime);
    });
}

bool LibraryCalls::is_in_openmp_library(std::uint64_t pc) const {
    const Module *const module = functions_.module_at(pc);
    return module != nullptr && !code_.is_executable(pc) && code_.is_user(pc) &&
           !module->elf->has_lines() && uses_openmp(*module);
}

// The name of the function of CALLEE's in which INNER is, by the call of OUTER in the file AROUND.
// None for a call through a pointer, which may be a callback: but one by a file that is linked
// against CALLEE.
std::optional<std::string> LibraryCalls::name_across(const Frame &inner, const Module &callee,
                                                     const Frame &outer,
                                                     const Module &around) const {
    for (const std::uint64_t target : targets_.targets(outer.pc)) {
        auto name =
            functions_.module_at(target) == &callee ? functions_.plain_name(target) : std::nullopt;
        if (name) {
            return name;
        }
    }
    const std::string name =
        needs(around, callee) ? functions_.plain_name_around(inner.pc - 1) : std::string();
    return name.empty() ? std::nullopt : std::optional(name);
}

std::optional<LibraryCall> LibraryCalls::call(std::span<const Frame> users) const {
    std::optional<LibraryCall> found;
    bool by_name = true;  // as far as this
    const Module *const inside = !users.empty() && is_in_openmp_library(users.front().pc - 1)
                                     ? functions_.module_at(users.front().pc - 1)
                                     : nullptr;
    for (std::size_t caller = 1; caller < users.size(); ++caller) {
        const Frame &inner = users[caller - 1];
        const Module *const callee = functions_.module_at(inner.pc - 1);
        const Module *const around = functions_.module_at(users[caller].pc - 1);
        const bool is_library = callee != nullptr && around != nullptr && inner.is_called &&
                                !callee->elf->has_lines() && code_.is_user(inner.pc) &&
                                code_.is_user(users[caller].pc);
        // A library that uses OpenMP is a user of those without.
        if (!is_library || (uses_openmp(*callee) && inside == nullptr)) {
            break;
        }
        if (callee == around) {
            continue;
        }
        auto name = name_across(inner, *callee, users[caller], *around);
        if (name ? is_whole_program(*name) : code_.is_executable(inner.pc)) {
            break;  // or it is the user's own function, which the library calls back
        }
        if (inside != nullptr && found && !(name && inside->elf->symbol(*name))) {
            break;  // libblas's cblas_dgemm is OpenBLAS's as well; who calls that is not
        }
        by_name = by_name && name;
        if (name && (by_name || is_mpi(*name))) {
            found = LibraryCall{*std::move(name), caller, inside != nullptr};
        }
    }
    return found;
}

std::optional<LibraryCall> LibraryCalls::call_of(std::span<const Frame> frames,
                                                 std::uint64_t pc) const {
    const auto frame = std::ranges::find(frames, pc, &Frame::pc);
    return call(frames.subspan(static_cast<std::size_t>(frame - frames.begin())));
}

}  // namespace gdb_ompd::code
