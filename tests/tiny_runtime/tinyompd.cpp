// SPDX-License-Identifier: Apache-2.0
// The tiny runtime's OMPD library: what OpenMP demands of one, by the callbacks alone.
// TINY_OMPD_VERSION in the debugger's environment says of which version, 6.0 if nothing does: it
// takes that version and those before it, or no other where TINY_OMPD_ALONE is set, and refuses
// what the version that was agreed on does not have. It reads each record whole, finds out what is
// there by asking for it, and says "unavailable" where a chain ends.
#include "base/ompd_types.h"
#include "records.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>

#define TINY_EXPORT extern "C" __attribute__((visibility("default")))

namespace {

enum class Kind : std::uint32_t { space = 0x53, thread, parallel, task };

// What every handle is: a record that was in use when the handle was made.
struct Handle {
    Kind kind;
    ompd_address_space_context_t *space;
    std::uint64_t address;
    std::uint64_t id;
};

const ompd_callbacks_t *callbacks = nullptr;
ompd_word_t agreed_version = 0;
constexpr const char *runtime_file = "libtinyomp.so";

constexpr ompd_word_t v5_0 = 201811;
constexpr ompd_word_t v5_1 = 202011;
constexpr ompd_word_t v5_2 = 202111;
constexpr ompd_word_t v6_0 = 202411;

// What a name or number is in from SINCE on, until BEFORE where that is not 0.
struct Versions {
    ompd_word_t since = v5_0;
    ompd_word_t before = 0;

    bool agreed() const {
        return since <= agreed_version && (before == 0 || agreed_version < before);
    }
};

// 6.0 has codes of its own for a handle of another kind, and for an ICV of another scope.
ompd_rc_t wrong_handle() {
    return agreed_version >= v6_0 ? ompd_rc_incompatible_handle : ompd_rc_bad_input;
}
ompd_rc_t wrong_scope() {
    return agreed_version >= v6_0 ? ompd_rc_incompatible : ompd_rc_bad_input;
}

template <class Record> struct Traits;
template <> struct Traits<tiny_thread> {
    static constexpr auto mark = TINY_THREAD_MARK;
    static constexpr Kind kind = Kind::thread;
};
template <> struct Traits<tiny_team> {
    static constexpr auto mark = TINY_TEAM_MARK;
    static constexpr Kind kind = Kind::parallel;
};
template <> struct Traits<tiny_task> {
    static constexpr auto mark = TINY_TASK_MARK;
    static constexpr Kind kind = Kind::task;
};

// Reading

// The target's bytes of one number, as a number of ours.
template <class T> ompd_rc_t to_host(ompd_address_space_context_t *space, T *value) {
    T raw = *value;
    return callbacks->device_to_host(space, &raw, sizeof raw, 1, value);
}

ompd_rc_t read(ompd_address_space_context_t *space, ompd_thread_context_t *thread,
               std::uint64_t address, void *out, ompd_size_t size) {
    const ompd_address_t at{ompd_segment_none, address};
    return callbacks->read_memory(space, thread, &at, size, out);
}

template <class T>
ompd_rc_t read_number(ompd_address_space_context_t *space, ompd_thread_context_t *thread,
                      std::uint64_t address, T *value) {
    const ompd_rc_t code = read(space, thread, address, value, sizeof *value);
    return code == ompd_rc_ok ? to_host(space, value) : code;
}

ompd_rc_t address_of(ompd_address_space_context_t *space, ompd_thread_context_t *thread,
                     const char *name, const char *file, std::uint64_t *address) {
    ompd_address_t found{};
    const ompd_rc_t code = callbacks->symbol_addr_lookup(space, thread, name, &found, file);
    *address = found.address;
    return code;
}

template <class P> std::uint64_t number(P *pointer) {
    return reinterpret_cast<std::uint64_t>(pointer);
}

// The record of HANDLE, whole and still what it was: a record that is gone may be no
// memory at all by now, which is only found out by reading it.
template <class Record> ompd_rc_t load(const Handle *handle, Record &record) {
    if (handle == nullptr) {
        return ompd_rc_stale_handle;
    }
    if (handle->kind != Traits<Record>::kind) {
        return wrong_handle();
    }
    const ompd_rc_t code = read(handle->space, nullptr, handle->address, &record, sizeof record);
    if (code == ompd_rc_error) {
        return ompd_rc_stale_handle;
    }
    const bool same = record.mark == Traits<Record>::mark && record.id == handle->id;
    return code != ompd_rc_ok ? code : same ? ompd_rc_ok : ompd_rc_stale_handle;
}

// Answers

ompd_rc_t lend(ompd_size_t size, void **block) { return callbacks->alloc_memory(size, block); }

ompd_rc_t lend_text(const char *text, const char **copy) {
    void *block = nullptr;
    const ompd_rc_t code = lend(std::strlen(text) + 1, &block);
    if (code == ompd_rc_ok) {
        *copy = std::strcpy(static_cast<char *>(block), text);
    }
    return code;
}

// A new handle for the record of type Record at ADDRESS; unavailable if there is none.
template <class Record, class H>
ompd_rc_t give(ompd_address_space_context_t *space, std::uint64_t address, H **made) {
    if (address == 0) {
        return ompd_rc_unavailable;
    }
    Record record;
    if (const ompd_rc_t code = read(space, nullptr, address, &record, sizeof record)) {
        return code;
    }
    if (record.mark != Traits<Record>::mark) {
        return ompd_rc_unavailable;  // it has ended since its address was read
    }
    void *block = nullptr;
    const ompd_rc_t code = lend(sizeof(Handle), &block);
    if (code == ompd_rc_ok) {
        const Handle handle{Traits<Record>::kind, space, address, record.id};
        *made = reinterpret_cast<H *>(std::memcpy(block, &handle, sizeof handle));
    }
    return code;
}

template <class H> const Handle *plain(const H *handle) {
    return reinterpret_cast<const Handle *>(handle);
}

// Load what HANDLE is about, and give out what FIND says of it.
template <class From, class To, class H, class N, class Find>
ompd_rc_t follow(const H *handle, N **made, Find find) {
    From record;
    if (const ompd_rc_t code = load(plain(handle), record)) {
        return code;
    }
    return made == nullptr ? ompd_rc_bad_input
                           : give<To>(plain(handle)->space, number(find(record)), made);
}

template <class H> ompd_rc_t release(H *handle) {
    return handle == nullptr ? ompd_rc_stale_handle : callbacks->free_memory(handle);
}

template <class H> ompd_rc_t compare(const H *one, const H *other, int *order) {
    if (one == nullptr || other == nullptr) {
        return ompd_rc_stale_handle;
    }
    if (order == nullptr || plain(one)->space != plain(other)->space) {
        return ompd_rc_bad_input;
    }
    const std::uint64_t a = plain(one)->address;
    const std::uint64_t b = plain(other)->address;
    *order = a < b ? -1 : a > b ? 1 : 0;
    return ompd_rc_ok;
}

ompd_rc_t load_process(const ompd_address_space_handle_t *handle, tiny_process &process) {
    if (handle == nullptr) {
        return ompd_rc_stale_handle;
    }
    if (plain(handle)->kind != Kind::space) {
        return wrong_handle();
    }
    return read(plain(handle)->space, nullptr, plain(handle)->address, &process, sizeof process);
}

// Whether the debugger keeps the promises that this library lives by.
ompd_rc_t check_debugger(ompd_address_space_context_t *space, const tiny_process &process) {
    ompd_device_type_sizes_t sizes{};
    std::uint64_t shadowed = 0;
    std::int32_t mark = 0;
    char byte = 0;
    if (const ompd_rc_t code = callbacks->sizeof_type(space, &sizes)) {
        return code;
    }
    if (const ompd_rc_t code =
            address_of(space, nullptr, "tiny_shadowed", runtime_file, &shadowed)) {
        return code;
    }
    if (const ompd_rc_t code = read_number(space, nullptr, shadowed, &mark)) {
        return code;
    }
    const bool refused =
        read(space, nullptr, process.unreadable, &byte, 1) == ompd_rc_error;
    const bool sound = sizes.sizeof_pointer == sizeof(void *) && sizes.sizeof_int == 4;
    return sound && mark == TINY_SHADOWED && refused ? ompd_rc_ok : ompd_rc_incompatible;
}

// ICVs

struct Icv {
    const char *name;
    ompd_scope_t scope;
    Versions in;  // that have it under this name
};

// The names with "ompd-" end with 5.2, as all that they stand for are ICVs by then.
constexpr Icv icvs[] = {
    {"", ompd_scope_global, {0, 1}},
    {"stacksize-var", ompd_scope_address_space, {}},
    {"cancel-var", ompd_scope_address_space, {}},
    {"max-task-priority-var", ompd_scope_address_space, {}},
    {"display-affinity-var", ompd_scope_address_space, {}},
    {"affinity-format-var", ompd_scope_address_space, {}},
    {"ompd-num-procs-var", ompd_scope_address_space, {v5_0, v6_0}},
    {"num-procs-var", ompd_scope_address_space, {v5_1}},
    {"ompd-thread-num-var", ompd_scope_thread, {v5_0, v6_0}},
    {"thread-num-var", ompd_scope_thread, {v5_1}},
    {"levels-var", ompd_scope_parallel, {}},
    {"active-levels-var", ompd_scope_parallel, {}},
    {"ompd-team-size-var", ompd_scope_parallel, {v5_0, v6_0}},
    {"team-size-var", ompd_scope_parallel, {v5_1}},
    {"nthreads-var", ompd_scope_task, {}},
    {"dyn-var", ompd_scope_task, {}},
    {"run-sched-var", ompd_scope_task, {}},
    {"max-active-levels-var", ompd_scope_task, {}},
    {"thread-limit-var", ompd_scope_task, {}},
    {"bind-var", ompd_scope_task, {}},
    {"default-device-var", ompd_scope_task, {}},
    {"ompd-final-var", ompd_scope_task, {v5_0, v6_0}},
    {"ompd-implicit-var", ompd_scope_task, {v5_0, v5_2}},
    {"final-task-var", ompd_scope_task, {v5_1}},
    {"implicit-task-var", ompd_scope_task, {v5_1, v5_2}},
    {"explicit-task-var", ompd_scope_task, {v5_2}},
};
constexpr ompd_icv_id_t icv_count = sizeof icvs / sizeof *icvs;

// The first id after ID that there is in the version that was agreed on; 0 for none.
ompd_icv_id_t next_icv(ompd_icv_id_t id) {
    while (++id < icv_count) {
        if (icvs[id].in.agreed()) {
            return id;
        }
    }
    return ompd_icv_undefined;
}

// An ICV's value: a number, or a text where it is none; a list has both.
struct Value {
    ompd_word_t number = 0;
    char text[256] = "";
    bool is_text = false;
    bool is_list = false;
};

// NAME without what tells that it was not always an ICV.
const char *base_name(const char *name) {
    constexpr const char *prefix = "ompd-";
    return std::strncmp(name, prefix, 5) == 0 ? name + 5 : name;
}

struct Answer {
    const char *name;
    ompd_word_t number;
};

template <std::size_t count>
ompd_rc_t pick(const char *name, const Answer (&answers)[count], Value &value) {
    for (const Answer &answer : answers) {
        if (std::strcmp(name, answer.name) == 0) {
            value.number = answer.number;
            return ompd_rc_ok;
        }
    }
    return ompd_rc_unavailable;
}

ompd_rc_t of_process(const Handle *handle, const char *name, Value &value) {
    tiny_process process;
    if (const ompd_rc_t code =
            load_process(reinterpret_cast<const ompd_address_space_handle_t *>(handle), process)) {
        return code;
    }
    if (std::strcmp(name, "affinity-format-var") == 0) {
        value.is_text = true;
        const ompd_address_t at{ompd_segment_none, number(process.affinity_format)};
        return callbacks->read_string(handle->space, nullptr, &at, sizeof value.text, value.text);
    }
    return pick(name,
                {{"stacksize-var", static_cast<ompd_word_t>(process.stack_size)},
                 {"cancel-var", process.cancellation},
                 {"max-task-priority-var", process.max_task_priority},
                 {"display-affinity-var", process.display_affinity},
                 {"num-procs-var", process.num_procs}},
                value);
}

ompd_rc_t of_thread(const Handle *handle, const char *name, Value &value) {
    tiny_thread thread;
    if (const ompd_rc_t code = load(handle, thread)) {
        return code;
    }
    if (thread.team == nullptr) {
        return ompd_rc_unavailable;
    }
    return pick(name, {{"thread-num-var", thread.number}}, value);
}

ompd_rc_t of_parallel(const Handle *handle, const char *name, Value &value) {
    tiny_team team;
    if (const ompd_rc_t code = load(handle, team)) {
        return code;
    }
    return pick(name,
                {{"levels-var", team.level},
                 {"active-levels-var", team.active_level},
                 {"team-size-var", team.size}},
                value);
}

void write_schedule(const tiny_icvs &of, Value &value) {
    constexpr const char *kinds[] = {"", "static", "dynamic", "guided", "auto"};
    value.is_text = true;
    const char *kind = kinds[of.schedule_kind >= 0 && of.schedule_kind <= 4 ? of.schedule_kind : 0];
    if (of.schedule_chunk > 0) {
        std::snprintf(value.text, sizeof value.text, "%s,%d", kind, of.schedule_chunk);
    } else {
        std::snprintf(value.text, sizeof value.text, "%s", kind);
    }
}

void write_list(const std::int32_t *items, int count, Value &value) {
    value.number = items[0];
    value.is_list = count > 1;
    std::size_t used = 0;
    for (int i = 0; i < count && i < TINY_MAX_LIST; ++i) {
        used += static_cast<std::size_t>(std::snprintf(value.text + used, sizeof value.text - used,
                                                       i == 0 ? "%d" : ",%d", items[i]));
    }
}

ompd_rc_t of_task(const Handle *handle, const char *name, Value &value) {
    tiny_task task;
    if (const ompd_rc_t code = load(handle, task)) {
        return code;
    }
    if (std::strcmp(name, "run-sched-var") == 0) {
        write_schedule(task.icvs, value);
        return ompd_rc_ok;
    }
    if (std::strcmp(name, "nthreads-var") == 0) {
        write_list(task.icvs.nthreads, task.icvs.nthreads_count, value);
        return ompd_rc_ok;
    }
    if (std::strcmp(name, "bind-var") == 0) {
        write_list(task.icvs.bind, task.icvs.bind_count, value);
        return ompd_rc_ok;
    }
    const ompd_word_t implicit = task.kind == TINY_EXPLICIT ? 0 : 1;
    return pick(name,
                {{"dyn-var", task.icvs.dynamic},
                 {"max-active-levels-var", task.icvs.max_active_levels},
                 {"thread-limit-var", task.icvs.thread_limit},
                 {"default-device-var", task.icvs.default_device},
                 {"final-var", task.final},
                 {"final-task-var", task.final},
                 {"implicit-var", implicit},
                 {"implicit-task-var", implicit},
                 {"explicit-task-var", 1 - implicit}},
                value);
}

ompd_rc_t find_icv(const void *untyped, ompd_scope_t scope, ompd_icv_id_t id, Value &value) {
    const auto *handle = static_cast<const Handle *>(untyped);
    if (handle == nullptr) {
        return ompd_rc_stale_handle;
    }
    if (id == ompd_icv_undefined || id >= icv_count || !icvs[id].in.agreed()) {
        return ompd_rc_bad_input;
    }
    if (icvs[id].scope != scope) {
        return wrong_scope();
    }
    const char *name = base_name(icvs[id].name);
    switch (scope) {
    case ompd_scope_address_space:
        return of_process(handle, name, value);
    case ompd_scope_thread:
        return of_thread(handle, name, value);
    case ompd_scope_parallel:
        return of_parallel(handle, name, value);
    default:
        return of_task(handle, name, value);
    }
}

// States: those that the runtime sets, and their order (OpenMP 5.1, section 4.4.4.28).

struct State {
    ompd_word_t number;
    const char *name;
    Versions in;
};

constexpr ompd_word_t state_undefined = 0x102;
constexpr State states[] = {
    {0x000, "ompt_state_work_serial", {}},
    {0x001, "ompt_state_work_parallel", {}},
    {0x011, "ompt_state_wait_barrier_implicit_parallel", {}},
    {0x014, "ompt_state_wait_barrier_explicit", {}},
    {0x020, "ompt_state_wait_taskwait", {}},
    {0x041, "ompt_state_wait_lock", {}},
    {0x100, "ompt_state_idle", {}},
};
constexpr std::size_t state_count = sizeof states / sizeof *states;

}  // namespace

// The library itself

TINY_EXPORT ompd_rc_t ompd_get_api_version(ompd_word_t *version) {
    const char *own = std::getenv("TINY_OMPD_VERSION");
    if (version == nullptr) {
        return ompd_rc_bad_input;
    }
    *version = own == nullptr ? v6_0 : std::atoll(own);
    return ompd_rc_ok;
}

TINY_EXPORT ompd_rc_t ompd_get_version_string(const char **text) {
    if (text == nullptr) {
        return ompd_rc_bad_input;
    }
    *text = "tiny OMPD library";
    return ompd_rc_ok;
}

TINY_EXPORT ompd_rc_t ompd_initialize(ompd_word_t version, const ompd_callbacks_t *table) {
    ompd_word_t latest = 0;
    static_cast<void>(ompd_get_api_version(&latest));
    if (table == nullptr) {
        return ompd_rc_bad_input;
    }
    const bool is_one = version == v5_0 || version == v5_1 || version == v5_2 || version == v6_0;
    const bool alone = std::getenv("TINY_OMPD_ALONE") != nullptr;
    if (!is_one || version > latest || (alone && version != latest)) {
        return ompd_rc_unsupported;
    }
    callbacks = table;
    agreed_version = version;
    return ompd_rc_ok;
}

TINY_EXPORT ompd_rc_t ompd_finalize() {
    if (callbacks == nullptr) {
        return ompd_rc_unsupported;
    }
    callbacks = nullptr;
    return ompd_rc_ok;
}

TINY_EXPORT ompd_rc_t ompd_process_initialize(ompd_address_space_context_t *space,
                                              ompd_address_space_handle_t **made) {
    if (space == nullptr || made == nullptr || callbacks == nullptr) {
        return ompd_rc_bad_input;
    }
    Handle handle{Kind::space, space, 0, 0};
    if (address_of(space, nullptr, "tiny_process", nullptr, &handle.address) != ompd_rc_ok) {
        return ompd_rc_incompatible;
    }
    tiny_process process;
    if (const ompd_rc_t code = read(space, nullptr, handle.address, &process, sizeof process)) {
        return code;
    }
    if (process.layout != TINY_LAYOUT) {
        return process.layout == 0 ? ompd_rc_unavailable : ompd_rc_incompatible;
    }
    if (const ompd_rc_t code = check_debugger(space, process)) {
        return code;
    }
    void *block = nullptr;
    const ompd_rc_t code = lend(sizeof handle, &block);
    if (code == ompd_rc_ok) {
        *made =
            static_cast<ompd_address_space_handle_t *>(std::memcpy(block, &handle, sizeof handle));
    }
    return code;
}

TINY_EXPORT ompd_rc_t ompd_device_initialize(ompd_address_space_handle_t *handle,
                                             ompd_address_space_context_t *, ompd_device_t,
                                             ompd_size_t, void *, ompd_address_space_handle_t **) {
    return handle == nullptr ? ompd_rc_stale_handle : ompd_rc_unsupported;
}

TINY_EXPORT ompd_rc_t ompd_rel_address_space_handle(ompd_address_space_handle_t *handle) {
    return release(handle);
}

TINY_EXPORT ompd_rc_t ompd_get_omp_version(ompd_address_space_handle_t *handle,
                                           ompd_word_t *version) {
    if (handle == nullptr || version == nullptr) {
        return handle == nullptr ? ompd_rc_stale_handle : ompd_rc_bad_input;
    }
    *version = agreed_version;
    return ompd_rc_ok;
}

TINY_EXPORT ompd_rc_t ompd_get_omp_version_string(ompd_address_space_handle_t *handle,
                                                  const char **text) {
    if (handle == nullptr || text == nullptr) {
        return handle == nullptr ? ompd_rc_stale_handle : ompd_rc_bad_input;
    }
    return lend_text("tiny OpenMP", text);
}

// Threads

TINY_EXPORT ompd_rc_t ompd_get_thread_handle(ompd_address_space_handle_t *handle,
                                             ompd_thread_id_t kind, ompd_size_t size,
                                             const void *id, ompd_thread_handle_t **made) {
    if (handle == nullptr || id == nullptr || made == nullptr) {
        return handle == nullptr ? ompd_rc_stale_handle : ompd_rc_bad_input;
    }
    ompd_address_space_context_t *space = plain(handle)->space;
    ompd_thread_context_t *thread = nullptr;
    if (const ompd_rc_t code =
            callbacks->get_thread_context_for_thread_id(space, kind, size, id, &thread)) {
        return code;
    }
    std::uint64_t variable = 0;
    std::uint64_t record = 0;
    // A thread that has never been in the runtime may have no such variable yet.
    const ompd_rc_t found = address_of(space, thread, "tiny_self", runtime_file, &variable);
    if (found != ompd_rc_ok) {
        return found == ompd_rc_error ? ompd_rc_unavailable : found;
    }
    if (const ompd_rc_t code = read_number(space, thread, variable, &record)) {
        return code;
    }
    return give<tiny_thread>(space, record, made);
}

TINY_EXPORT ompd_rc_t ompd_get_thread_in_parallel(ompd_parallel_handle_t *handle, int thread_num,
                                                  ompd_thread_handle_t **made) {
    tiny_team team;
    if (const ompd_rc_t code = load(plain(handle), team)) {
        return code;
    }
    if (made == nullptr || thread_num < 0 || thread_num >= team.size) {
        return ompd_rc_bad_input;
    }
    return give<tiny_thread>(plain(handle)->space, number(team.members[thread_num]), made);
}

TINY_EXPORT ompd_rc_t ompd_rel_thread_handle(ompd_thread_handle_t *handle) {
    return release(handle);
}

TINY_EXPORT ompd_rc_t ompd_thread_handle_compare(ompd_thread_handle_t *one,
                                                 ompd_thread_handle_t *other, int *order) {
    return compare(one, other, order);
}

TINY_EXPORT ompd_rc_t ompd_get_thread_id(ompd_thread_handle_t *handle, ompd_thread_id_t kind,
                                         ompd_size_t size, void *id) {
    tiny_thread thread;
    if (const ompd_rc_t code = load(plain(handle), thread)) {
        return code;
    }
    if (kind != ompd_thread_id_pthread && kind != ompd_thread_id_lwp) {
        return ompd_rc_unsupported;
    }
    const bool is_pthread = kind == ompd_thread_id_pthread;
    if (id == nullptr || size != (is_pthread ? sizeof thread.pthread : sizeof thread.lwp)) {
        return ompd_rc_bad_input;
    }
    std::memcpy(id, is_pthread ? static_cast<void *>(&thread.pthread) : &thread.lwp, size);
    return ompd_rc_ok;
}

TINY_EXPORT ompd_rc_t ompd_get_state(ompd_thread_handle_t *handle, ompd_word_t *state,
                                     ompd_wait_id_t *wait_id) {
    tiny_thread thread;
    if (const ompd_rc_t code = load(plain(handle), thread)) {
        return code;
    }
    if (state == nullptr) {
        return ompd_rc_bad_input;
    }
    *state = thread.state;
    if (wait_id != nullptr) {
        *wait_id = thread.wait_id;
    }
    return ompd_rc_ok;
}

TINY_EXPORT ompd_rc_t ompd_enumerate_states(ompd_address_space_handle_t *handle,
                                            ompd_word_t current, ompd_word_t *next,
                                            const char **name, ompd_word_t *more) {
    if (handle == nullptr || next == nullptr || name == nullptr || more == nullptr) {
        return handle == nullptr ? ompd_rc_stale_handle : ompd_rc_bad_input;
    }
    std::size_t at = 0;
    while (current != state_undefined && at < state_count && states[at].number != current) {
        ++at;
    }
    at += current == state_undefined ? 0 : 1;
    if (at >= state_count) {
        return ompd_rc_bad_input;
    }
    *next = states[at].number;
    *more = at + 1 < state_count ? 1 : 0;
    return lend_text(states[at].name, name);
}

// Regions

TINY_EXPORT ompd_rc_t ompd_get_curr_parallel_handle(ompd_thread_handle_t *handle,
                                                    ompd_parallel_handle_t **made) {
    return follow<tiny_thread, tiny_team>(handle, made, [](auto &thread) { return thread.team; });
}

TINY_EXPORT ompd_rc_t ompd_get_enclosing_parallel_handle(ompd_parallel_handle_t *handle,
                                                         ompd_parallel_handle_t **made) {
    return follow<tiny_team, tiny_team>(handle, made, [](auto &team) { return team.parent; });
}

TINY_EXPORT ompd_rc_t ompd_get_task_parallel_handle(ompd_task_handle_t *handle,
                                                    ompd_parallel_handle_t **made) {
    return follow<tiny_task, tiny_team>(handle, made, [](auto &task) { return task.team; });
}

TINY_EXPORT ompd_rc_t ompd_rel_parallel_handle(ompd_parallel_handle_t *handle) {
    return release(handle);
}

TINY_EXPORT ompd_rc_t ompd_parallel_handle_compare(ompd_parallel_handle_t *one,
                                                   ompd_parallel_handle_t *other, int *order) {
    return compare(one, other, order);
}

// Tasks

TINY_EXPORT ompd_rc_t ompd_get_curr_task_handle(ompd_thread_handle_t *handle,
                                                ompd_task_handle_t **made) {
    return follow<tiny_thread, tiny_task>(handle, made, [](auto &thread) { return thread.task; });
}

TINY_EXPORT ompd_rc_t ompd_get_generating_task_handle(ompd_task_handle_t *handle,
                                                      ompd_task_handle_t **made) {
    return follow<tiny_task, tiny_task>(handle, made, [](auto &task) { return task.generating; });
}

TINY_EXPORT ompd_rc_t ompd_get_scheduling_task_handle(ompd_task_handle_t *handle,
                                                      ompd_task_handle_t **made) {
    return follow<tiny_task, tiny_task>(handle, made, [](auto &task) { return task.scheduling; });
}

TINY_EXPORT ompd_rc_t ompd_get_task_in_parallel(ompd_parallel_handle_t *handle, int thread_num,
                                                ompd_task_handle_t **made) {
    tiny_team team;
    if (const ompd_rc_t code = load(plain(handle), team)) {
        return code;
    }
    if (made == nullptr || thread_num < 0 || thread_num >= team.size) {
        return ompd_rc_bad_input;
    }
    return give<tiny_task>(plain(handle)->space, number(team.implicit[thread_num]), made);
}

TINY_EXPORT ompd_rc_t ompd_rel_task_handle(ompd_task_handle_t *handle) { return release(handle); }

TINY_EXPORT ompd_rc_t ompd_task_handle_compare(ompd_task_handle_t *one, ompd_task_handle_t *other,
                                               int *order) {
    return compare(one, other, order);
}

TINY_EXPORT ompd_rc_t ompd_get_task_function(ompd_task_handle_t *handle, ompd_address_t *entry) {
    tiny_task task;
    if (const ompd_rc_t code = load(plain(handle), task)) {
        return code;
    }
    if (entry == nullptr) {
        return ompd_rc_bad_input;
    }
    if (task.function == nullptr) {
        return ompd_rc_unavailable;
    }
    *entry = {ompd_segment_none, number(task.function)};
    return ompd_rc_ok;
}

TINY_EXPORT ompd_rc_t ompd_get_task_frame(ompd_task_handle_t *handle, ompd_frame_info_t *exit,
                                          ompd_frame_info_t *enter) {
    constexpr ompd_word_t runtime_cfa = 0x10;  // ompt_frame_runtime, ompt_frame_cfa
    tiny_task task;
    if (const ompd_rc_t code = load(plain(handle), task)) {
        return code;
    }
    if (exit == nullptr || enter == nullptr) {
        return ompd_rc_bad_input;
    }
    *exit = {{ompd_segment_none, task.exit_frame}, task.exit_frame != 0 ? runtime_cfa : 0};
    *enter = {{ompd_segment_none, task.enter_frame}, task.enter_frame != 0 ? runtime_cfa : 0};
    return ompd_rc_ok;
}

// Settings

TINY_EXPORT ompd_rc_t ompd_get_display_control_vars(ompd_address_space_handle_t *handle,
                                                    const char *const **variables) {
    tiny_process process;
    if (const ompd_rc_t code = load_process(handle, process)) {
        return code;
    }
    if (variables == nullptr || process.settings_size < 0 ||
        process.settings_size > TINY_SETTINGS) {
        return variables == nullptr ? ompd_rc_bad_input : ompd_rc_error;
    }
    const auto size = static_cast<std::size_t>(process.settings_size);
    constexpr std::size_t most = TINY_SETTINGS / 2 + 1;
    void *block = nullptr;
    if (const ompd_rc_t code = lend(most * sizeof(char *) + size + 1, &block)) {
        return code;
    }
    auto **list = static_cast<const char **>(block);
    auto *text = static_cast<char *>(block) + most * sizeof(char *);
    std::memcpy(text, process.settings, size);
    text[size] = '\0';
    std::size_t count = 0;
    for (std::size_t at = 0; at < size; at += std::strlen(text + at) + 1) {
        list[count++] = text + at;
    }
    list[count] = nullptr;
    *variables = list;
    return ompd_rc_ok;
}

TINY_EXPORT ompd_rc_t ompd_rel_display_control_vars(const char *const **variables) {
    if (variables == nullptr || *variables == nullptr) {
        return ompd_rc_bad_input;
    }
    return callbacks->free_memory(const_cast<const char **>(*variables));
}

TINY_EXPORT ompd_rc_t ompd_enumerate_icvs(ompd_address_space_handle_t *handle,
                                          ompd_icv_id_t current, ompd_icv_id_t *next,
                                          const char **name, ompd_scope_t *scope, int *more) {
    if (handle == nullptr) {
        return ompd_rc_stale_handle;
    }
    const ompd_icv_id_t id = next_icv(current);
    if (next == nullptr || name == nullptr || scope == nullptr || more == nullptr ||
        id == ompd_icv_undefined) {
        return ompd_rc_bad_input;
    }
    *next = id;
    *scope = icvs[id].scope;
    *more = next_icv(id) != ompd_icv_undefined ? 1 : 0;
    return lend_text(icvs[id].name, name);
}

TINY_EXPORT ompd_rc_t ompd_get_icv_from_scope(void *handle, ompd_scope_t scope, ompd_icv_id_t id,
                                              ompd_word_t *number) {
    Value value;
    if (const ompd_rc_t code = find_icv(handle, scope, id, value)) {
        return code;
    }
    if (number == nullptr) {
        return ompd_rc_bad_input;
    }
    if (value.is_text) {
        return ompd_rc_incompatible;
    }
    *number = value.number;
    return value.is_list ? ompd_rc_incomplete : ompd_rc_ok;
}

TINY_EXPORT ompd_rc_t ompd_get_icv_string_from_scope(void *handle, ompd_scope_t scope,
                                                     ompd_icv_id_t id, const char **text) {
    Value value;
    if (const ompd_rc_t code = find_icv(handle, scope, id, value)) {
        return code;
    }
    if (text == nullptr) {
        return ompd_rc_bad_input;
    }
    if (!value.is_text && !value.is_list) {
        std::snprintf(value.text, sizeof value.text, "%lld", static_cast<long long>(value.number));
    }
    return lend_text(value.text, text);
}

// Tool data

namespace {

template <class Record>
ompd_rc_t tool_data(const Handle *handle, ompd_word_t *value, ompd_address_t *pointer) {
    Record record;
    if (const ompd_rc_t code = load(handle, record)) {
        return code;
    }
    *value = static_cast<ompd_word_t>(record.tool_value);
    *pointer = {ompd_segment_none, number(record.tool_pointer)};
    return ompd_rc_ok;
}

}  // namespace

TINY_EXPORT ompd_rc_t ompd_get_tool_data(void *untyped, ompd_scope_t scope, ompd_word_t *value,
                                         ompd_address_t *pointer) {
    const auto *handle = static_cast<const Handle *>(untyped);
    if (handle == nullptr) {
        return ompd_rc_stale_handle;
    }
    if (value == nullptr || pointer == nullptr) {
        return ompd_rc_bad_input;
    }
    switch (scope) {
    case ompd_scope_thread:
        return tool_data<tiny_thread>(handle, value, pointer);
    case ompd_scope_parallel:
        return tool_data<tiny_team>(handle, value, pointer);
    case ompd_scope_implicit_task:
    case ompd_scope_task:
        return tool_data<tiny_task>(handle, value, pointer);
    default:
        return ompd_rc_unsupported;
    }
}
