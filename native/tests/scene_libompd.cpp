// SPDX-License-Identifier: Apache-2.0
// A conforming OMPD library without a program: it tells what a test's scene says. Each handle
// it gives out is a new one, so that only its compare functions tell which are the same.
#include "scene_libompd.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>

#define SCENE_EXPORT extern "C" __attribute__((visibility("default")))

struct Handle {
    int position;
};
struct ompd_address_space_handle_t : Handle {};
struct ompd_thread_handle_t : Handle {};
struct ompd_parallel_handle_t : Handle {};
struct ompd_task_handle_t : Handle {};

namespace {

const ompd_callbacks_t *callbacks = nullptr;
Scene *scene = nullptr;

struct Icv {
    const char *name;
    const char *alias;
    ompd_scope_t scope;
};
constexpr std::array<Icv, 9> icvs{{
    {"num-procs-var", "ompd-num-procs-var", ompd_scope_address_space},
    {"thread-num-var", "ompd-thread-num-var", ompd_scope_thread},
    {"team-size-var", "ompd-team-size-var", ompd_scope_parallel},
    {"levels-var", "ompd-levels-var", ompd_scope_parallel},
    {"active-levels-var", "ompd-active-levels-var", ompd_scope_parallel},
    {"final-task-var", "ompd-final-var", ompd_scope_task},
    {"implicit-task-var", "ompd-implicit-var", ompd_scope_task},
    {"nthreads-var", "nthreads-var", ompd_scope_implicit_task},
    {"run-sched-var", "run-sched-var", ompd_scope_task},
}};

// Count a call of FUNCTION; the code with which it is to fail.
std::optional<ompd_rc_t> failure(const char *function) {
    ++scene->calls[function];
    const auto found = scene->failures.find(function);
    return found == scene->failures.end() ? std::nullopt : std::optional(found->second);
}

template <class H> ompd_rc_t make(const char *function, int position, H **made) {
    if (const auto code = failure(function)) {
        return *code;
    }
    if (position < 0) {
        return scene->end_is_unsupported ? ompd_rc_unsupported : ompd_rc_unavailable;
    }
    *made = new H{{position}};
    ++scene->live_handles;
    return ompd_rc_ok;
}

template <class H> ompd_rc_t release(H *handle) {
    delete handle;
    --scene->live_handles;
    return ompd_rc_ok;
}

ompd_rc_t compare(const char *function, const Handle *one, const Handle *other, int *order) {
    if (const auto code = failure(function)) {
        return *code;
    }
    *order = one->position - other->position;
    return ompd_rc_ok;
}

ompd_rc_t copy_text(const char *text, const char **copy) {
    void *memory = nullptr;
    const ompd_rc_t code = callbacks->alloc_memory(std::strlen(text) + 1, &memory);
    if (code == ompd_rc_ok) {
        *copy = std::strcpy(static_cast<char *>(memory), text);
    }
    return code;
}

int at(const std::vector<int> &positions, int number) {
    const bool known = number >= 0 && static_cast<std::size_t>(number) < positions.size();
    return known ? positions[static_cast<std::size_t>(number)] : -1;
}

template <class Items> auto &item(Items &items, const Handle *handle) {
    return items.at(static_cast<std::size_t>(handle->position));
}

ompd_word_t icv_value(const char *name, const void *untyped) {
    const auto *handle = static_cast<const Handle *>(untyped);
    const std::string_view wanted = name;
    if (wanted == "thread-num-var") {
        return item(scene->threads, handle).thread_num;
    }
    if (wanted == "final-task-var") {
        return item(scene->tasks, handle).final_task;
    }
    if (wanted == "implicit-task-var") {
        return item(scene->tasks, handle).implicit;
    }
    if (wanted == "nthreads-var") {
        return 100 + handle->position;  // tells which task was asked
    }
    if (wanted == "num-procs-var") {
        return 8;
    }
    const Scene::Region &region = item(scene->regions, handle);
    if (wanted == "levels-var") {
        return region.level;
    }
    if (wanted == "active-levels-var") {
        return region.active_level;
    }
    return region.claimed_size != 0 ? region.claimed_size
                                    : static_cast<ompd_word_t>(region.threads.size());
}

}  // namespace

SCENE_EXPORT void scene_use(Scene *next) { scene = next; }

SCENE_EXPORT ompd_rc_t ompd_initialize(ompd_word_t, const ompd_callbacks_t *table) {
    callbacks = table;
    return ompd_rc_ok;
}
SCENE_EXPORT ompd_rc_t ompd_get_api_version(ompd_word_t *version) {
    *version = 201811;
    return ompd_rc_ok;
}
SCENE_EXPORT ompd_rc_t ompd_get_version_string(const char **text) {
    *text = "a scene";
    return ompd_rc_ok;
}
SCENE_EXPORT ompd_rc_t ompd_finalize() { return ompd_rc_ok; }

SCENE_EXPORT ompd_rc_t ompd_process_initialize(ompd_address_space_context_t *,
                                               ompd_address_space_handle_t **made) {
    return make("ompd_process_initialize", 0, made);
}
SCENE_EXPORT ompd_rc_t ompd_device_initialize(ompd_address_space_handle_t *,
                                              ompd_address_space_context_t *, ompd_device_t,
                                              ompd_size_t, void *, ompd_address_space_handle_t **) {
    return ompd_rc_unavailable;
}
SCENE_EXPORT ompd_rc_t ompd_rel_address_space_handle(ompd_address_space_handle_t *handle) {
    return release(handle);
}
SCENE_EXPORT ompd_rc_t ompd_get_omp_version(ompd_address_space_handle_t *, ompd_word_t *version) {
    *version = 201811;
    return ompd_rc_ok;
}
SCENE_EXPORT ompd_rc_t ompd_get_omp_version_string(ompd_address_space_handle_t *,
                                                   const char **text) {
    return copy_text("OpenMP 5.0", text);
}

SCENE_EXPORT ompd_rc_t ompd_get_thread_handle(ompd_address_space_handle_t *, ompd_thread_id_t kind,
                                              ompd_size_t size, const void *id,
                                              ompd_thread_handle_t **made) {
    if (kind != scene->id_kind) {
        return ompd_rc_unsupported;
    }
    if (size != scene->id_size) {
        return ompd_rc_bad_input;
    }
    std::uint64_t number = 0;
    std::memcpy(&number, id, size);
    const auto &threads = scene->threads;
    const auto found = std::find_if(threads.begin(), threads.end(),
                                    [&](const Scene::Thread &one) { return one.id == number; });
    return make("ompd_get_thread_handle",
                found == threads.end() ? -1 : static_cast<int>(found - threads.begin()), made);
}
SCENE_EXPORT ompd_rc_t ompd_get_thread_in_parallel(ompd_parallel_handle_t *region, int number,
                                                   ompd_thread_handle_t **made) {
    return make("ompd_get_thread_in_parallel", at(item(scene->regions, region).threads, number),
                made);
}
SCENE_EXPORT ompd_rc_t ompd_rel_thread_handle(ompd_thread_handle_t *handle) {
    return release(handle);
}
SCENE_EXPORT ompd_rc_t ompd_thread_handle_compare(ompd_thread_handle_t *one,
                                                  ompd_thread_handle_t *other, int *order) {
    return compare("ompd_thread_handle_compare", one, other, order);
}
SCENE_EXPORT ompd_rc_t ompd_get_thread_id(ompd_thread_handle_t *handle, ompd_thread_id_t,
                                          ompd_size_t size, void *id) {
    if (const auto code = failure("ompd_get_thread_id")) {
        return *code;
    }
    std::memcpy(id, &item(scene->threads, handle).id, size);
    return ompd_rc_ok;
}
SCENE_EXPORT ompd_rc_t ompd_get_state(ompd_thread_handle_t *handle, ompd_word_t *state,
                                      ompd_wait_id_t *wait_id) {
    if (const auto code = failure("ompd_get_state")) {
        return *code;
    }
    *state = item(scene->threads, handle).state;
    *wait_id = item(scene->threads, handle).wait_id;
    return ompd_rc_ok;
}
SCENE_EXPORT ompd_rc_t ompd_enumerate_states(ompd_address_space_handle_t *, ompd_word_t current,
                                             ompd_word_t *next, const char **name,
                                             ompd_word_t *more) {
    if (const auto code = failure("ompd_enumerate_states")) {
        return *code;
    }
    *next = current == 0x102 ? 1 : 2;
    *more = *next == 1;
    return copy_text(*next == 1 ? "ompt_state_work_parallel" : "ompt_state_wait_lock", name);
}

SCENE_EXPORT ompd_rc_t ompd_get_curr_parallel_handle(ompd_thread_handle_t *thread,
                                                     ompd_parallel_handle_t **made) {
    return make("ompd_get_curr_parallel_handle", item(scene->threads, thread).region, made);
}
SCENE_EXPORT ompd_rc_t ompd_get_enclosing_parallel_handle(ompd_parallel_handle_t *region,
                                                          ompd_parallel_handle_t **made) {
    return make("ompd_get_enclosing_parallel_handle", item(scene->regions, region).parent, made);
}
SCENE_EXPORT ompd_rc_t ompd_get_task_parallel_handle(ompd_task_handle_t *task,
                                                     ompd_parallel_handle_t **made) {
    return make("ompd_get_task_parallel_handle", item(scene->tasks, task).region, made);
}
SCENE_EXPORT ompd_rc_t ompd_rel_parallel_handle(ompd_parallel_handle_t *handle) {
    return release(handle);
}
SCENE_EXPORT ompd_rc_t ompd_parallel_handle_compare(ompd_parallel_handle_t *one,
                                                    ompd_parallel_handle_t *other, int *order) {
    return compare("ompd_parallel_handle_compare", one, other, order);
}

SCENE_EXPORT ompd_rc_t ompd_get_curr_task_handle(ompd_thread_handle_t *thread,
                                                 ompd_task_handle_t **made) {
    return make("ompd_get_curr_task_handle", item(scene->threads, thread).task, made);
}
SCENE_EXPORT ompd_rc_t ompd_get_generating_task_handle(ompd_task_handle_t *task,
                                                       ompd_task_handle_t **made) {
    return make("ompd_get_generating_task_handle", item(scene->tasks, task).generating, made);
}
SCENE_EXPORT ompd_rc_t ompd_get_scheduling_task_handle(ompd_task_handle_t *task,
                                                       ompd_task_handle_t **made) {
    return make("ompd_get_scheduling_task_handle", item(scene->tasks, task).scheduling, made);
}
SCENE_EXPORT ompd_rc_t ompd_get_task_in_parallel(ompd_parallel_handle_t *region, int number,
                                                 ompd_task_handle_t **made) {
    return make("ompd_get_task_in_parallel", at(item(scene->regions, region).tasks, number), made);
}
SCENE_EXPORT ompd_rc_t ompd_rel_task_handle(ompd_task_handle_t *handle) { return release(handle); }
SCENE_EXPORT ompd_rc_t ompd_task_handle_compare(ompd_task_handle_t *one, ompd_task_handle_t *other,
                                                int *order) {
    return compare("ompd_task_handle_compare", one, other, order);
}
SCENE_EXPORT ompd_rc_t ompd_get_task_function(ompd_task_handle_t *task, ompd_address_t *entry) {
    if (const auto code = failure("ompd_get_task_function")) {
        return *code;
    }
    *entry = {ompd_segment_none, item(scene->tasks, task).function};
    return ompd_rc_ok;
}
SCENE_EXPORT ompd_rc_t ompd_get_task_frame(ompd_task_handle_t *task, ompd_frame_info_t *exit,
                                           ompd_frame_info_t *enter) {
    if (const auto code = failure("ompd_get_task_frame")) {
        return *code;
    }
    const auto position = static_cast<ompd_addr_t>(task->position);
    *exit = {{ompd_segment_none, 0x1000 + position}, 0};
    *enter = {{ompd_segment_none, 0x2000 + position}, 0};
    return ompd_rc_ok;
}

SCENE_EXPORT ompd_rc_t ompd_get_display_control_vars(ompd_address_space_handle_t *,
                                                     const char *const **variables) {
    static constexpr std::array<const char *, 3> list{"OMP_SCHEDULE=static", "no value", nullptr};
    if (const auto code = failure("ompd_get_display_control_vars")) {
        return *code;
    }
    *variables = list.data();
    return ompd_rc_ok;
}
SCENE_EXPORT ompd_rc_t ompd_rel_display_control_vars(const char *const **) { return ompd_rc_ok; }

SCENE_EXPORT ompd_rc_t ompd_enumerate_icvs(ompd_address_space_handle_t *, ompd_icv_id_t current,
                                           ompd_icv_id_t *next, const char **name,
                                           ompd_scope_t *scope, int *more) {
    if (const auto code = failure("ompd_enumerate_icvs")) {
        return *code;
    }
    // First the names of all, unless there are only the aliases, then the aliases.
    const std::size_t first = scene->aliases ? icvs.size() : 0;
    const std::size_t position = current == ompd_icv_undefined ? first : current;
    const Icv &icv = icvs.at(position % icvs.size());
    *next = position + 1;
    *scope = icv.scope;
    *more = *next < 2 * icvs.size();
    return copy_text(position < icvs.size() ? icv.name : icv.alias, name);
}
SCENE_EXPORT ompd_rc_t ompd_get_icv_from_scope(void *handle, ompd_scope_t scope,
                                               ompd_icv_id_t number, ompd_word_t *value) {
    if (const auto code = failure("ompd_get_icv_from_scope")) {
        return *code;
    }
    const Icv &icv = icvs.at((number - 1) % icvs.size());
    if (scope != icv.scope) {
        return ompd_rc_bad_input;
    }
    if (std::strcmp(icv.name, "run-sched-var") == 0) {
        return ompd_rc_incompatible;
    }
    *value = icv_value(icv.name, handle);
    return std::strcmp(icv.name, "nthreads-var") == 0 ? ompd_rc_incomplete : ompd_rc_ok;
}
SCENE_EXPORT ompd_rc_t ompd_get_icv_string_from_scope(void *, ompd_scope_t, ompd_icv_id_t number,
                                                      const char **text) {
    if (const auto code = failure("ompd_get_icv_string_from_scope")) {
        return *code;
    }
    const Icv &icv = icvs.at((number - 1) % icvs.size());
    return copy_text(std::strcmp(icv.name, "nthreads-var") == 0 ? "100,4" : "static", text);
}
SCENE_EXPORT ompd_rc_t ompd_get_tool_data(void *, ompd_scope_t, ompd_word_t *value,
                                          ompd_address_t *pointer) {
    *value = 0;
    *pointer = {ompd_segment_none, 0};
    return ompd_rc_ok;
}
