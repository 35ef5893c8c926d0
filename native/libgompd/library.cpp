// SPDX-License-Identifier: Apache-2.0
// The exported functions about the library and the process.
#include "handles.hpp"

#include <cstring>

using namespace libgompd;

namespace {

constexpr ompd_word_t api_version = 201811;
// What every served version of libgomp says by _OPENMP.
constexpr ompd_word_t openmp_version = 201511;

constexpr std::size_t max_variables = 4096;
constexpr std::size_t longest_variable = 4096;

// Whether the runtime looks at such a variable of the environment.
bool controls(const char *variable) {
    return std::strncmp(variable, "OMP_", 4) == 0 || std::strncmp(variable, "GOMP_", 5) == 0;
}

}  // namespace

LIBGOMPD_EXPORT ompd_rc_t ompd_get_api_version(ompd_word_t *version) {
    if (version == nullptr) {
        return ompd_rc_bad_input;
    }
    *version = api_version;
    return ompd_rc_ok;
}

LIBGOMPD_EXPORT ompd_rc_t ompd_get_version_string(const char **text) {
    if (text == nullptr) {
        return ompd_rc_bad_input;
    }
    *text = "gdb-ompd's OMPD library for GNU libgomp";
    return ompd_rc_ok;
}

LIBGOMPD_EXPORT ompd_rc_t ompd_initialize(ompd_word_t version, const ompd_callbacks_t *table) {
    if (table == nullptr) {
        return ompd_rc_bad_input;
    }
    if (version != api_version) {
        return ompd_rc_unsupported;
    }
    callbacks = table;
    return ompd_rc_ok;
}

LIBGOMPD_EXPORT ompd_rc_t ompd_finalize() {
    if (callbacks == nullptr) {
        return ompd_rc_unsupported;
    }
    callbacks = nullptr;
    return ompd_rc_ok;
}

LIBGOMPD_EXPORT ompd_rc_t ompd_process_initialize(ompd_address_space_context_t *context,
                                                  ompd_address_space_handle_t **made) {
    return answer([&] {
        require_places(context, made);
        ompd_device_type_sizes_t sizes{};
        if (const ompd_rc_t code = callbacks->sizeof_type(context, &sizes)) {
            refuse(code);
        }
        if (sizes.sizeof_pointer != 8 || sizes.sizeof_int != 4 || sizes.sizeof_long != 8) {
            print("libgompd: only 64-bit programs are served, of x86-64 and aarch64\n");
            refuse(ompd_rc_incompatible);
        }
        const Target target(context, machine_of(context));
        const Layout layout = prove(target);
        *made = reinterpret_cast<ompd_address_space_handle_t *>(
            new (allocate(sizeof(Space))) Space{Kind::space, target, layout});
    });
}

LIBGOMPD_EXPORT ompd_rc_t ompd_device_initialize(ompd_address_space_handle_t *process,
                                                 ompd_address_space_context_t *context,
                                                 ompd_device_t, ompd_size_t, void *id,
                                                 ompd_address_space_handle_t **made) {
    return answer([&] {
        static_cast<void>(checked(process));
        require_places(context, id, made);
        refuse(ompd_rc_unsupported);
    });
}

LIBGOMPD_EXPORT ompd_rc_t ompd_rel_address_space_handle(ompd_address_space_handle_t *handle) {
    return answer([&] {
        static_cast<void>(checked(handle));
        if (const ompd_rc_t code = callbacks->free_memory(handle)) {
            refuse(code);
        }
    });
}

LIBGOMPD_EXPORT ompd_rc_t ompd_get_omp_version(ompd_address_space_handle_t *handle,
                                               ompd_word_t *version) {
    return answer([&] {
        static_cast<void>(checked(handle));
        require_places(version);
        *version = openmp_version;
    });
}

LIBGOMPD_EXPORT ompd_rc_t ompd_get_omp_version_string(ompd_address_space_handle_t *handle,
                                                      const char **text) {
    return answer([&] {
        const Space &space = checked(handle);
        require_places(text);
        std::array<char, 96> made{"GNU libgomp of "};
        std::strncat(made.data(), space.layout.family.name, made.size() - 32);
        *text = lend(made.data());
    });
}

// The program's environment as it is now, which the runtime read when it was loaded.
LIBGOMPD_EXPORT ompd_rc_t ompd_get_display_control_vars(ompd_address_space_handle_t *handle,
                                                        const char *const **variables) {
    return answer([&] {
        const Target &target = checked(handle).target;
        require_places(variables);
        const auto environment = target.symbol("environ", nullptr);
        if (!environment) {
            refuse(ompd_rc_unavailable);
        }
        // Null until the C library has started: no runtime has read any by then.
        const std::uint64_t list{target.u64(*environment)};
        std::array<char, longest_variable> text{};
        // Twice: how much room they need, and then the texts themselves.
        std::size_t count = 0;
        std::size_t size = 0;
        const auto each = [&](auto &&take) {
            for (std::size_t i = 0; list != 0 && i < max_variables; ++i) {
                const std::uint64_t at = target.u64(list + 8 * i);
                if (at == 0) {
                    return;
                }
                if (target.string(at, text) && controls(text.data())) {
                    take(std::strlen(text.data()) + 1);
                }
            }
        };
        each([&](std::size_t length) {
            ++count;
            size += length;
        });
        const std::size_t most = count;
        const std::size_t pointers = (most + 1) * sizeof(char *);
        void *const block = allocate(pointers + size);
        auto *const found = static_cast<const char **>(block);
        auto *room = static_cast<char *>(block) + pointers;
        const char *const end = room + size;
        count = 0;
        each([&](std::size_t length) {
            if (count < most && room + length <= end) {
                found[count++] = static_cast<const char *>(std::memcpy(room, text.data(), length));
                room += length;
            }
        });
        found[count] = nullptr;
        *variables = found;
    });
}

LIBGOMPD_EXPORT ompd_rc_t ompd_rel_display_control_vars(const char *const **variables) {
    return answer([&] {
        require_places(variables);
        if (*variables == nullptr) {
            refuse(ompd_rc_bad_input);
        }
        if (const ompd_rc_t code = callbacks->free_memory(const_cast<const char **>(*variables))) {
            refuse(code);
        }
    });
}
