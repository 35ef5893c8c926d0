// SPDX-License-Identifier: Apache-2.0
// An OMPD library that passes every call on to a real one. What the environment of the debugger
// asks it to do wrong, which may change at any time, is excepted:
//   SHIM_LIBOMPD   the real library
//   SHIM_FUNCTION  where to misbehave, such as ompd_get_state
//   SHIM_FAULT     "rc:4" (return that), "nothing" (ok, with no answer), "lie"
//                  (ok, with a wrong answer), or a name of misdeeds.hpp
//   SHIM_TRACE     a file to which each call's name is written
#include "base/ompd_functions.hpp"
#include "misdeeds.hpp"

#include <dlfcn.h>

#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace {

// All parameters are integers or pointers, at most six, and passed in registers:
// so one signature does for all functions.
using Word = std::uintptr_t;
using Words = std::array<Word, 6>;
using Any = ompd_rc_t(Word, Word, Word, Word, Word, Word);

const ompd_callbacks_t *callbacks = nullptr;

const char *setting(const char *name) {
    const char *value = std::getenv(name);
    return value == nullptr ? "" : value;
}

Any *real(const char *name) {
    static void *library = dlopen(setting("SHIM_LIBOMPD"), RTLD_NOW | RTLD_LOCAL);
    return library == nullptr ? nullptr : reinterpret_cast<Any *>(dlsym(library, name));
}

void trace(const char *name) {
    const char *path = setting("SHIM_TRACE");
    std::FILE *file = *path == '\0' ? nullptr : std::fopen(path, "a");
    if (file != nullptr) {
        std::fprintf(file, "%s\n", name);
        std::fclose(file);
    }
}

ompd_rc_t pass_on(const char *name, const Words &w) {
    Any *function = real(name);
    return function == nullptr ? ompd_rc_error : function(w[0], w[1], w[2], w[3], w[4], w[5]);
}

ompd_rc_t ask(const char *name, std::size_t count, const Words &words) {
    if (std::strcmp(name, "ompd_initialize") == 0) {
        callbacks = reinterpret_cast<const ompd_callbacks_t *>(words[1]);
    }
    trace(name);
    if (std::strcmp(name, setting("SHIM_FUNCTION")) != 0) {
        return pass_on(name, words);
    }
    const char *fault = setting("SHIM_FAULT");
    if (std::strncmp(fault, "rc:", 3) == 0) {
        return static_cast<ompd_rc_t>(std::atoi(fault + 3));
    }
    if (std::strcmp(fault, "nothing") == 0) {
        return ompd_rc_ok;
    }
    if (std::strcmp(fault, "lie") == 0) {
        const ompd_rc_t code = pass_on(name, words);
        const std::uint32_t wrong = 0x7fffffff;
        std::memcpy(reinterpret_cast<void *>(words[count - 1]), &wrong, sizeof wrong);
        return code;
    }
    return misdeeds::commit(fault, *callbacks);
}

template <class... Parameters> constexpr std::size_t count_of = sizeof...(Parameters);

}  // namespace

#define SHIM(name, ...)                                                                            \
    extern "C" __attribute__((visibility("default")))                                              \
    ompd_rc_t ompd_##name(Word a, Word b, Word c, Word d, Word e, Word f) {                        \
        return ask("ompd_" #name, count_of<__VA_ARGS__>, {a, b, c, d, e, f});                      \
    }
GDB_OMPD_FUNCTIONS(SHIM)
