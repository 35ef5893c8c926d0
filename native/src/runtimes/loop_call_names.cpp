// SPDX-License-Identifier: Apache-2.0
// The functions of code/loop_calls.hpp, and what their arguments are: as in LLVM's
// openmp/runtime/src/kmp.h and GCC's libgomp/libgomp_g.h.
#include "code/loop_calls.hpp"

namespace gdb_ompd::code {

namespace {

// Takes PREFIX off a name that begins with it.
bool took(std::string_view &name, std::string_view prefix) {
    const bool has = name.starts_with(prefix);
    name.remove_prefix(has ? prefix.size() : 0);
    return has;
}

// Clang's functions end in the width and the sign of what counts the loop: "4", "8u".
std::optional<LoopCall> with_type(LoopCall call, std::string_view type) {
    call.is_unsigned = type.ends_with('u');
    type.remove_suffix(call.is_unsigned ? 1 : 0);
    if (type != "4" && type != "8") {
        return std::nullopt;
    }
    call.width = type == "4" ? 4 : 8;
    return call;
}

std::optional<LoopCall> clangs(std::string_view name) {
    LoopCall call;
    if (took(name, "for_static_init_")) {
        call = {LoopStep::shares_out_all, 4, 5, 6, 2, 8};
    } else if (took(name, "dist_for_static_init_")) {
        call = {LoopStep::shares_out_all, 4, 5, 7, 2, 9};
    } else if (took(name, "dispatch_init_")) {
        call.step = LoopStep::begins;
    } else if (took(name, "dispatch_next_")) {
        call = {LoopStep::goes_on, 3, 4};
    } else if (name == "for_static_fini" || name == "dispatch_deinit") {
        call.step = LoopStep::ends;
        return call;
    } else {
        return std::nullopt;
    }
    return with_type(call, name);
}

// GOMP_loop_dynamic_start(start, end, incr, chunk, &istart, &iend) and its like. Of an unsigned
// loop another argument is before these. Of one whose schedule is set at run time there is no
// chunk.
std::optional<LoopCall> gccs(std::string_view name) {
    LoopCall call;
    call.is_gccs = true;
    call.is_unsigned = took(name, "ull_");
    if (name.starts_with("end")) {
        call.step = LoopStep::ends;
        return call;
    }
    if (name.ends_with("_next")) {
        call.step = LoopStep::goes_on;
        call.lower = 0;
        call.upper = 1;
        return call;
    }
    call.first = name.starts_with("doacross") ? -1 : call.is_unsigned ? 1 : 0;
    call.increment = call.first < 0 ? -1 : call.first + 2;
    return name.ends_with("start") ? std::optional(call) : std::nullopt;
}

}  // namespace

std::optional<LoopCall> loop_call(std::string_view function) {
    if (took(function, "__kmpc_")) {
        return clangs(function);
    }
    return took(function, "GOMP_loop_") ? gccs(function) : std::nullopt;
}

bool is_static_in_chunks(std::int64_t schedule) {
    constexpr std::int64_t modifiers = 3LL << 29;
    constexpr std::int64_t chunked = 33;
    return (schedule & ~modifiers & 0xffff'ffff) == chunked;
}

}  // namespace gdb_ompd::code
