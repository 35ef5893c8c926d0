// SPDX-License-Identifier: Apache-2.0
// The functions of other files that the user's code called, by the names that people write.
#pragma once

#include "code/call_targets.hpp"
#include "code/code_map.hpp"
#include "code/frame.hpp"
#include "code/function_code.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace gdb_ompd::code {

// Whether it is a FUNCTION that every stack begins with.
bool starts_stack(std::string_view function);

// A call by name of a library's function, and which of the frames made it.
struct LibraryCall {
    std::string function;
    std::size_t caller = 0;
    bool has_openmp = false;  // what it has led to is in a library that uses OpenMP
};

// Whether it is one of MPI's, as C calls it or as Fortran does.
[[nodiscard]] bool is_mpi(std::string_view function);

class LibraryCalls {
public:
    LibraryCalls(FunctionReader &functions, const CallTargets &targets, const CodeMap &code,
                 Modules runtimes)
        : functions_(functions), targets_(targets), code_(code), runtimes_(std::move(runtimes)) {}

    // The system's function that FRAMES, which are innermost first and below the user's
    // code, were called by, under the name that people write; empty where it has none.
    [[nodiscard]] std::string outside(std::span<const Frame> frames, const Frame *user) const;
    // What of another library the user's code called, where the innermost of USERS is in one: a
    // file that knows no source lines and was called by name. Of several the outermost, as far as
    // each has called the next by name, or through a pointer if it is linked against that; MPI
    // calls its parts through pointers. One that uses OpenMP is a user of those without; around one
    // that does, others only stand for its own functions.
    [[nodiscard]] std::optional<LibraryCall> call(std::span<const Frame> users) const;
    // The same of the library that the frame at PC is in, one of a thread's FRAMES.
    [[nodiscard]] std::optional<LibraryCall> call_of(std::span<const Frame> frames,
                                                     std::uint64_t pc) const;
    // Whether PC is in a library that uses OpenMP and knows no source lines.
    [[nodiscard]] bool is_in_openmp_library(std::uint64_t pc) const;
    // Whether PC is in a file that knows source lines.
    [[nodiscard]] bool has_lines(std::uint64_t pc) const;

private:
    [[nodiscard]] std::optional<std::string> name_across(const Frame &inner, const Module &callee,
                                                         const Frame &outer,
                                                         const Module &around) const;
    [[nodiscard]] static bool needs(const Module &module, const Module &other);
    [[nodiscard]] bool uses_openmp(const Module &module) const;

    FunctionReader &functions_;
    const CallTargets &targets_;
    const CodeMap &code_;
    Modules runtimes_;
};

}  // namespace gdb_ompd::code
