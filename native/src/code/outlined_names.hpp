// SPDX-License-Identifier: Apache-2.0
// The names of the functions that compilers make of OpenMP's constructs.
//
// Compilers move a construct's body into a function of its own, and name it after the function
// that the construct is in or with a mark alone; C and Fortran have no dots in names, so that a
// dot tells the compiler's part. A debugger adds a parameter list and qualifiers in C++, and
// writes the mark as a clone's where it demangles the rest:
//
//     clang     .omp_outlined.  .omp_outlined._debug__.1(int &) const  .omp_task_entry..8
//     clang 17  main.omp_outlined_debug__.3  _Z4workv.omp_outlined.omp.reduction.reduction_func
//     GCC       _Z4workv._omp_fn.0(void)  main._omp_cpyfn.2  work() [clone ._omp_fn.0.cold]
//     flang     main_..omp_par.1
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace gdb_ompd::code {

// What a compiler has made a function for.
enum class Made {
    body,    // clang's, of a region or a task; or what only calls one that is debug
    debug,   // the body that clang makes for debuggers
    task,    // clang's function that the runtime calls for a task, to call its body
    gcc,     // GCC's, of a region or a task
    helper,  // combines, initializes or copies variables
};

// A compiler's function. FUNCTION is the function that it was made in, by its name, as linkers have
// that, empty if unknown. Of a construct in another one's body that is the outermost.
struct Outlined {
    Made made = Made::helper;
    std::string function;
    bool is_private_map = false;  // a task's body calls it to find its private variables

    [[nodiscard]] bool is_task_entry() const { return made == Made::task; }
    [[nodiscard]] bool is_gccs_body() const { return made == Made::gcc; }
    // Not what clang calls for a task.
    [[nodiscard]] bool is_region_body() const {
        return made == Made::body || made == Made::debug || is_gccs_body();
    }
    // Or what calls one.
    [[nodiscard]] bool is_clangs_body() const {
        return made == Made::body || made == Made::debug || is_task_entry();
    }
};

// None for a function that the user wrote.
std::optional<Outlined> outlined(std::string_view name);
// The function, as linkers have it, and the line of the target region that clang has made a
// function of. Where there is no device that is called as the user's own code would be.
struct TargetRegion {
    std::string function;
    int line = 0;

    bool operator==(const TargetRegion &) const = default;
};
std::optional<TargetRegion> target_region(std::string_view name);
// By the name of the variable whose address the code around the region calls the runtime with.
std::optional<TargetRegion> target_region_of_id(std::string_view name);
inline constexpr std::string_view target_region_prefix = "__omp_offloading_";  // LLVM's
// What the name of a compiler's function, a target region's too, says of the one that it was made
// in: see Outlined. None for a function that the user wrote.
std::optional<std::string> made_in(std::string_view name);
// Whether one outlined function is there only to call the other: a task's entry its body, or
// clang's wrapper the body that it makes for debuggers.
bool is_wrapper_of(std::string_view caller, std::string_view callee);

// A function's name as C++ has it, by the linker's; others are what they are.
std::string demangled(const std::string &symbol);
// A C++ function's name without its parameter list, as GDB's frame lines have it.
std::string_view without_parameters(std::string_view name);
// Without what compilers append to the name of a function of which they have made another one:
// "work.constprop.0" and "work(int) [clone .isra.0]" are "work".
std::string without_clone(std::string_view name);
// What people call the procedure of Fortran's whose symbol this may be: "heat::relax" that of
// "__heat_MOD_relax", "relax" that of "relax_" and of "relax.3". None for other symbols.
std::optional<std::string> fortran_name(std::string_view symbol);
// Without templates' arguments: "Box<int>::fill<long>" is "Box::fill".
std::string without_template_arguments(std::string_view name);
// Without the return type that a function template's demangled name begins with.
std::string_view without_type(std::string_view name);

}  // namespace gdb_ompd::code
