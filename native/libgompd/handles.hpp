// SPDX-License-Identifier: Apache-2.0
// What the library's handles are, and what every exported function begins with.
#pragma once

#include "records.hpp"

#include <new>
#include <type_traits>

#define LIBGOMPD_EXPORT extern "C" __attribute__((visibility("default")))

namespace libgompd {

enum class Kind : std::uint32_t { space = 0x676f6d70, thread, parallel, task };

// NOLINTNEXTLINE(cppcoreguidelines-pro-type-member-init): an aggregate, always made whole
struct Space {
    Kind kind;
    Target target;
    Layout layout;

    [[nodiscard]] Records records() const { return {target, layout}; }
};

// A thread by its record. A region by its team and a thread that is in it. A task by its record,
// its team (0: it is in no region) and such a thread. The initial task may have no record: then the
// thread is the one that executes it.
struct Handle {
    Kind kind;
    const Space *space;
    std::uint64_t record;
    std::uint64_t team;
    std::uint64_t task;
    bool is_executed;  // by the thread: it is its current task
};

// Run BODY, an exported function's work, which may return a code. No exception leaves the library,
// and none is thrown for what is usual, such as a thread without a state.
template <class Body> ompd_rc_t answer(Body &&body) noexcept {
    if (callbacks == nullptr) {
        return ompd_rc_unsupported;  // there is nobody to ask
    }
    try {
        if constexpr (std::is_same_v<decltype(body()), ompd_rc_t>) {
            return body();
        } else {
            body();
            return ompd_rc_ok;
        }
    } catch (const Refused &refused) {
        return refused.code;
    } catch (const std::bad_alloc &) {
        return ompd_rc_nomem;
    } catch (...) {
        return ompd_rc_error;
    }
}

[[noreturn]] inline void refuse(ompd_rc_t code) { throw Refused{code}; }

// Every place for an answer must be there.
template <class... Places> void require_places(const Places *...places) {
    const bool is_missing = (... || (places == nullptr));
    if (is_missing) {
        refuse(ompd_rc_bad_input);
    }
}

template <class H> const Handle &checked(const H *handle, Kind kind) {
    if (handle == nullptr) {
        refuse(ompd_rc_stale_handle);
    }
    const auto *const plain = reinterpret_cast<const Handle *>(handle);
    if (plain->kind != kind) {
        refuse(ompd_rc_bad_input);
    }
    return *plain;
}

inline const Space &checked(const ompd_address_space_handle_t *handle) {
    if (handle == nullptr) {
        refuse(ompd_rc_stale_handle);
    }
    const auto *const plain = reinterpret_cast<const Space *>(handle);
    if (plain->kind != Kind::space) {
        refuse(ompd_rc_bad_input);
    }
    return *plain;
}

template <class H> void give(H **made, const Handle &handle) {
    *made = reinterpret_cast<H *>(new (allocate(sizeof(Handle))) Handle(handle));
}

// Nothing is given where there is no handle.
template <class H> ompd_rc_t give(H **made, const std::optional<Handle> &handle) {
    if (!handle) {
        return ompd_rc_unavailable;
    }
    give(made, *handle);
    return ompd_rc_ok;
}

template <class H> ompd_rc_t release(H *handle, Kind kind) noexcept {
    return answer([&] {
        static_cast<void>(checked(handle, kind));
        const ompd_rc_t code = callbacks->free_memory(handle);
        if (code != ompd_rc_ok) {
            refuse(code);
        }
    });
}

// What a handle is about, read now. Throws Refused: stale where it is over.
[[nodiscard]] Thread busy_thread(const Handle &handle);
struct RegionNow {
    Thread inside;
    Team team;
    Place place;  // of that thread
};
[[nodiscard]] RegionNow region_now(const Handle &handle);
// None for an initial task without a record.
[[nodiscard]] std::optional<Task> task_now(const Handle &handle);
[[nodiscard]] bool is_implicit(const Handle &handle, const std::optional<Task> &task);

}  // namespace libgompd
