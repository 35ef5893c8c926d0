// SPDX-License-Identifier: Apache-2.0
// The exported functions about ICVs.
#include "handles.hpp"

#include <climits>
#include <cstdio>

using namespace libgompd;

namespace {

enum class What : std::uint8_t {
    place_in_layout,  // where the layout says
    schedule,
    thread_num,
    level,
    active_level,
    team_size,
    final_task,
    implicit_task,
    text
};

struct Icv {
    const char *name = "";
    ompd_scope_t scope = ompd_scope_global;
    What what = What::text;
    IcvPlace Layout::*place = nullptr;
};

// The id of each is its position. Those that OpenMP 5.0 has no name for are called as in
// LLVM's library.
constexpr std::array<Icv, 23> icvs{{
    {"", ompd_scope_global, What::text},
    {"num-procs-var", ompd_scope_address_space, What::place_in_layout, &Layout::processors},
    {"ompd-num-procs-var", ompd_scope_address_space, What::place_in_layout, &Layout::processors},
    {"cancel-var", ompd_scope_address_space, What::place_in_layout, &Layout::cancellation},
    {"max-task-priority-var", ompd_scope_address_space, What::place_in_layout,
     &Layout::max_task_priority},
    {"affinity-format-var", ompd_scope_address_space, What::text, &Layout::affinity_format},
    {"thread-num-var", ompd_scope_thread, What::thread_num},
    {"ompd-thread-num-var", ompd_scope_thread, What::thread_num},
    {"levels-var", ompd_scope_parallel, What::level},
    {"active-levels-var", ompd_scope_parallel, What::active_level},
    {"team-size-var", ompd_scope_parallel, What::team_size},
    {"ompd-team-size-var", ompd_scope_parallel, What::team_size},
    {"nthreads-var", ompd_scope_task, What::place_in_layout, &Layout::nthreads},
    {"dyn-var", ompd_scope_task, What::place_in_layout, &Layout::dynamic},
    {"run-sched-var", ompd_scope_task, What::schedule, &Layout::schedule},
    {"bind-var", ompd_scope_task, What::place_in_layout, &Layout::bind},
    {"thread-limit-var", ompd_scope_task, What::place_in_layout, &Layout::thread_limit},
    {"max-active-levels-var", ompd_scope_task, What::place_in_layout, &Layout::max_active_levels},
    {"default-device-var", ompd_scope_task, What::place_in_layout, &Layout::default_device},
    {"final-task-var", ompd_scope_task, What::final_task},
    {"ompd-final-var", ompd_scope_task, What::final_task},
    {"implicit-task-var", ompd_scope_task, What::implicit_task},
    {"ompd-implicit-var", ompd_scope_task, What::implicit_task},
}};
constexpr ompd_icv_id_t icv_count = icvs.size();

constexpr std::size_t longest_text = 4096;

struct Question {
    const Icv &icv;
    const Space &space;
    const Handle *handle;  // null: of the process
};

Question checked_question(void *handle, ompd_scope_t scope, ompd_icv_id_t id) {
    if (handle == nullptr) {
        refuse(ompd_rc_stale_handle);
    }
    if (id == ompd_icv_undefined || id >= icv_count) {
        refuse(ompd_rc_bad_input);
    }
    const Icv &icv = icvs.at(id);
    if (icv.scope != scope) {
        refuse(ompd_rc_bad_input);
    }
    switch (scope) {
    case ompd_scope_address_space:
        return {icv, checked(static_cast<const ompd_address_space_handle_t *>(handle)), nullptr};
    case ompd_scope_thread: {
        const Handle &own = checked(handle, Kind::thread);
        return {icv, *own.space, &own};
    }
    case ompd_scope_parallel: {
        const Handle &own = checked(handle, Kind::parallel);
        return {icv, *own.space, &own};
    }
    default: {
        const Handle &own = checked(handle, Kind::task);
        return {icv, *own.space, &own};
    }
    }
}

// The number at PLACE, of the task where it is a task's.
ompd_word_t number_at(const Question &asked, const IcvPlace &place) {
    const Layout &layout = asked.space.layout;
    std::uint64_t address = place.where;
    if (place.in == IcvPlace::In::nowhere) {
        refuse(ompd_rc_unavailable);
    }
    if (asked.handle != nullptr) {
        const auto task = task_now(*asked.handle);
        if (place.in == IcvPlace::In::task) {
            const auto icvs = static_cast<std::uint64_t>(layout.family.icvs);
            const auto own = task ? std::optional(task->address + icvs) : layout.initial_icvs;
            if (!own) {
                refuse(ompd_rc_unavailable);
            }
            address = *own + place.where;
        }
    } else if (place.in == IcvPlace::In::task) {
        refuse(ompd_rc_unavailable);
    }
    const std::uint64_t value = asked.space.target.number(address, place.size);
    if (place.size == 1) {
        return static_cast<std::int8_t>(value);
    }
    return place.size == 4 ? static_cast<std::int32_t>(value) : static_cast<ompd_word_t>(value);
}

ompd_word_t number_of(const Question &asked) {
    const Icv &icv = asked.icv;
    switch (icv.what) {
    case What::place_in_layout: {
        const ompd_word_t value = number_at(asked, asked.space.layout.*icv.place);
        if (icv.place == &Layout::thread_limit && (value < 0 || value > INT_MAX)) {
            return INT_MAX;  // no limit
        }
        // An unsigned character, unlike where threads are bound.
        return icv.place == &Layout::max_active_levels && value < 0 ? value + 256 : value;
    }
    case What::thread_num:
        return busy_thread(*asked.handle).place.thread_num;
    case What::level:
        return region_now(*asked.handle).place.level;
    case What::active_level:
        return region_now(*asked.handle).place.active_level;
    case What::team_size:
        return region_now(*asked.handle).team.size;
    case What::final_task: {
        const auto task = task_now(*asked.handle);
        return task && task->final_task ? 1 : 0;
    }
    case What::implicit_task:
        return is_implicit(*asked.handle, task_now(*asked.handle)) ? 1 : 0;
    case What::schedule:
    case What::text:
        break;
    }
    refuse(ompd_rc_incompatible);  // a text
}

const char *schedule_of(const Question &asked) {
    constexpr std::uint32_t monotonic = 0x80000000;
    constexpr std::array<const char *, 5> kinds{nullptr, "static", "dynamic", "guided", "auto"};
    const auto value = static_cast<std::uint32_t>(number_at(asked, asked.space.layout.schedule));
    const ompd_word_t chunk = number_at(asked, asked.space.layout.chunk);
    const std::uint32_t kind = value & ~monotonic;
    if (kind == 0 || kind >= kinds.size()) {
        refuse(ompd_rc_unavailable);
    }
    std::array<char, 64> text{};
    const char *const modifier = (value & monotonic) != 0 ? "monotonic:" : "";
    if (chunk > 0) {
        std::snprintf(text.data(), text.size(), "%s%s,%lld", modifier, kinds.at(kind),
                      static_cast<long long>(chunk));
    } else {
        std::snprintf(text.data(), text.size(), "%s%s", modifier, kinds.at(kind));
    }
    return lend(text.data());
}

const char *text_of(const Question &asked) {
    const IcvPlace &place = asked.space.layout.*asked.icv.place;
    if (place.in != IcvPlace::In::variable || place.size != 8) {
        refuse(ompd_rc_unavailable);
    }
    std::array<char, longest_text> text{};
    const std::uint64_t at = asked.space.target.u64(place.where);
    if (at == 0 || !asked.space.target.string(at, text)) {
        refuse(ompd_rc_unavailable);
    }
    return lend(text.data());
}

}  // namespace

LIBGOMPD_EXPORT ompd_rc_t ompd_enumerate_icvs(ompd_address_space_handle_t *handle,
                                              ompd_icv_id_t current, ompd_icv_id_t *next,
                                              const char **name, ompd_scope_t *scope, int *more) {
    return answer([&] {
        static_cast<void>(checked(handle));
        require_places(next, name, scope, more);
        if (current >= icv_count - 1) {
            refuse(ompd_rc_bad_input);
        }
        const Icv &icv = icvs.at(current + 1);
        *name = lend(icv.name);
        *next = current + 1;
        *scope = icv.scope;
        *more = current + 2 < icv_count ? 1 : 0;
    });
}

LIBGOMPD_EXPORT ompd_rc_t ompd_get_icv_from_scope(void *handle, ompd_scope_t scope,
                                                  ompd_icv_id_t id, ompd_word_t *value) {
    return answer([&] {
        const Question asked = checked_question(handle, scope, id);
        require_places(value);
        *value = number_of(asked);
    });
}

LIBGOMPD_EXPORT ompd_rc_t ompd_get_icv_string_from_scope(void *handle, ompd_scope_t scope,
                                                         ompd_icv_id_t id, const char **text) {
    return answer([&] {
        const Question asked = checked_question(handle, scope, id);
        require_places(text);
        if (asked.icv.what == What::schedule) {
            *text = schedule_of(asked);
        } else if (asked.icv.what == What::text) {
            *text = text_of(asked);
        } else {
            std::array<char, 32> digits{};
            std::snprintf(digits.data(), digits.size(), "%lld",
                          static_cast<long long>(number_of(asked)));
            *text = lend(digits.data());
        }
    });
}
