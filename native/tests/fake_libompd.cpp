// SPDX-License-Identifier: Apache-2.0
// An OMPD library that does what real ones cannot be made to do. It keeps a record of its handles,
// calls callbacks with what a test supplies, prints, throws, and enumerates for ever.
#include "fake_libompd.hpp"
#include "misdeeds.hpp"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <new>
#include <set>

#define FAKE_EXPORT extern "C" __attribute__((visibility("default")))

struct FakeHandle {
    ompd_address_space_context_t *space;
    ompd_thread_context_t *thread;
    ompd_word_t number;
};
struct ompd_address_space_handle_t : FakeHandle {};
struct ompd_thread_handle_t : FakeHandle {};
struct ompd_parallel_handle_t : FakeHandle {};
struct ompd_task_handle_t : FakeHandle {};

namespace {

const ompd_callbacks_t *callbacks = nullptr;
std::set<const void *> live;
ompd_word_t bad_releases = 0;
FakeProbe probe = nullptr;
void *probe_data = nullptr;
bool endless = false;
ompd_word_t initialized_with = 0;
int *finalized = nullptr;  // counted there

ompd_word_t setting(const char *name, ompd_word_t otherwise) {
    const char *set = std::getenv(name);
    return set == nullptr ? otherwise : std::atoll(set);
}

ompd_word_t api_version() { return setting(fake_speaks, 201811); }

template <class H> ompd_rc_t make(const FakeHandle &from, ompd_word_t number, H **made) {
    void *memory = nullptr;
    const ompd_rc_t rc = callbacks->alloc_memory(sizeof(H), &memory);
    if (rc == ompd_rc_ok) {
        *made = new (memory) H{{from.space, from.thread, number}};
        live.insert(memory);
    }
    return rc;
}

ompd_rc_t release(void *handle) {
    if (live.erase(handle) == 0) {
        ++bad_releases;
        return ompd_rc_stale_handle;
    }
    return callbacks->free_memory(handle);
}

ompd_rc_t copy_text(const char *text, const char **copy) {
    void *memory = nullptr;
    const ompd_rc_t rc = callbacks->alloc_memory(std::strlen(text) + 1, &memory);
    if (rc == ompd_rc_ok) {
        *copy = std::strcpy(static_cast<char *>(memory), text);
    }
    return rc;
}

ompd_rc_t read_word(const FakeHandle &handle, ompd_word_t *value) {
    const ompd_address_t address{ompd_segment_none, fake_data_address};
    std::uint64_t raw = 0;
    const ompd_rc_t rc =
        callbacks->read_memory(handle.space, handle.thread, &address, sizeof raw, &raw);
    return rc != ompd_rc_ok ? rc
                            : callbacks->device_to_host(handle.space, &raw, sizeof raw, 1, value);
}

// As many bytes as damaged memory says, into a variable and into a block.
ompd_rc_t careless_read(const FakeHandle &handle) {
    const ompd_address_t address{ompd_segment_none, fake_data_address};
    std::uint64_t variable = 0;
    void *block = nullptr;
    static_cast<void>(callbacks->alloc_memory(16, &block));
    const auto read = [&](ompd_size_t size, void *buffer) {
        return callbacks->read_memory(handle.space, handle.thread, &address, size, buffer);
    };
    const bool refused =
        read(9, &variable) != ompd_rc_ok && read(17, block) != ompd_rc_ok && variable == 0;
    const bool allowed = read(8, &variable) == ompd_rc_ok && read(16, block) == ompd_rc_ok;
    static_cast<void>(callbacks->free_memory(block));
    return refused && allowed ? ompd_rc_ok : ompd_rc_error;
}

ompd_rc_t compare(const FakeHandle *one, const FakeHandle *other, int *order) {
    *order = static_cast<int>(one->number - other->number);
    return ompd_rc_ok;
}

}  // namespace

FAKE_EXPORT void fake_set_probe(FakeProbe new_probe, void *data) {
    probe = new_probe;
    probe_data = data;
}

FAKE_EXPORT ompd_word_t fake_initialized_with() { return initialized_with; }

FAKE_EXPORT void fake_set_endless(bool on) { endless = on; }

FAKE_EXPORT ompd_rc_t ompd_initialize(ompd_word_t version, const ompd_callbacks_t *table) {
    callbacks = table;
    initialized_with = version;
    return version == setting(fake_takes, api_version()) ? ompd_rc_ok : ompd_rc_unsupported;
}

FAKE_EXPORT ompd_rc_t ompd_get_api_version(ompd_word_t *version) {
    *version = api_version();
    return *version < 0 ? ompd_rc_error : ompd_rc_ok;
}

FAKE_EXPORT ompd_rc_t ompd_get_version_string(const char **text) {
    const char *set = std::getenv(fake_described_as);
    *text = set == nullptr ? "LLVM OpenMP, but a fake" : set;
    return ompd_rc_ok;
}

FAKE_EXPORT void fake_tell_finalized(int *count) { finalized = count; }

FAKE_EXPORT ompd_rc_t ompd_finalize() {
    if (finalized != nullptr) {
        ++*finalized;
    }
    return ompd_rc_ok;
}

FAKE_EXPORT ompd_rc_t ompd_process_initialize(ompd_address_space_context_t *space,
                                              ompd_address_space_handle_t **made) {
    ompd_device_type_sizes_t sizes{};
    const ompd_rc_t rc = callbacks->sizeof_type(space, &sizes);
    return rc == ompd_rc_ok ? make(FakeHandle{space, nullptr, 0}, 0, made) : rc;
}

FAKE_EXPORT ompd_rc_t ompd_device_initialize(ompd_address_space_handle_t *,
                                             ompd_address_space_context_t *space,
                                             ompd_device_t kind, ompd_size_t id_size, void *id,
                                             ompd_address_space_handle_t **made) {
    if (id_size != 2 || std::memcmp(id, "d1", 2) != 0) {
        return ompd_rc_unavailable;
    }
    return make(FakeHandle{space, nullptr, 0}, static_cast<ompd_word_t>(kind), made);
}

FAKE_EXPORT ompd_rc_t ompd_rel_address_space_handle(ompd_address_space_handle_t *handle) {
    return release(handle);
}

FAKE_EXPORT ompd_rc_t ompd_get_omp_version(ompd_address_space_handle_t *handle,
                                           ompd_word_t *version) {
    *version = 201811;
    return probe == nullptr ? ompd_rc_ok : probe(callbacks, handle->space, probe_data);
}

FAKE_EXPORT ompd_rc_t ompd_get_omp_version_string(ompd_address_space_handle_t *,
                                                  const char **text) {
    return copy_text("201811", text);
}

FAKE_EXPORT ompd_rc_t ompd_get_thread_handle(ompd_address_space_handle_t *handle,
                                             ompd_thread_id_t kind, ompd_size_t size,
                                             const void *id, ompd_thread_handle_t **made) {
    ompd_thread_context_t *thread = nullptr;
    const ompd_rc_t rc =
        callbacks->get_thread_context_for_thread_id(handle->space, kind, size, id, &thread);
    if (rc != ompd_rc_ok) {
        return rc;
    }
    ompd_word_t number = 0;
    std::memcpy(&number, id, size);
    return make(FakeHandle{handle->space, thread, 0}, number, made);
}

FAKE_EXPORT ompd_rc_t ompd_get_thread_in_parallel(ompd_parallel_handle_t *handle, int thread_num,
                                                  ompd_thread_handle_t **made) {
    return thread_num < 0 ? ompd_rc_bad_input : make(*handle, thread_num, made);
}

FAKE_EXPORT ompd_rc_t ompd_rel_thread_handle(ompd_thread_handle_t *handle) {
    return release(handle);
}

FAKE_EXPORT ompd_rc_t ompd_thread_handle_compare(ompd_thread_handle_t *one,
                                                 ompd_thread_handle_t *other, int *order) {
    return compare(one, other, order);
}

FAKE_EXPORT ompd_rc_t ompd_get_thread_id(ompd_thread_handle_t *handle, ompd_thread_id_t kind,
                                         ompd_size_t size, void *id) {
    if (kind > 1 || (size != 4 && size != 8)) {
        return kind > 1 ? ompd_rc_unsupported : ompd_rc_bad_input;
    }
    std::memcpy(id, &handle->number, size);
    return ompd_rc_ok;
}

FAKE_EXPORT ompd_rc_t ompd_get_state(ompd_thread_handle_t *handle, ompd_word_t *state,
                                     ompd_wait_id_t *wait_id) {
    *wait_id = 0x77;
    return read_word(*handle, state);
}

FAKE_EXPORT ompd_rc_t ompd_get_curr_parallel_handle(ompd_thread_handle_t *handle,
                                                    ompd_parallel_handle_t **made) {
    ompd_word_t ignored = 0;
    static_cast<void>(read_word(*handle, &ignored));  // LLVM's goes on after failed reads, too
    return make(*handle, 1, made);
}

FAKE_EXPORT ompd_rc_t ompd_get_enclosing_parallel_handle(ompd_parallel_handle_t *handle,
                                                         ompd_parallel_handle_t **made) {
    return handle->number == 3 ? ompd_rc_unavailable : make(*handle, handle->number + 1, made);
}

FAKE_EXPORT ompd_rc_t ompd_get_task_parallel_handle(ompd_task_handle_t *handle,
                                                    ompd_parallel_handle_t **made) {
    return make(*handle, handle->number, made);
}

FAKE_EXPORT ompd_rc_t ompd_rel_parallel_handle(ompd_parallel_handle_t *handle) {
    return release(handle);
}

FAKE_EXPORT ompd_rc_t ompd_parallel_handle_compare(ompd_parallel_handle_t *one,
                                                   ompd_parallel_handle_t *other, int *order) {
    return compare(one, other, order);
}

FAKE_EXPORT ompd_rc_t ompd_get_curr_task_handle(ompd_thread_handle_t *handle,
                                                ompd_task_handle_t **made) {
    return make(*handle, 10, made);
}

FAKE_EXPORT ompd_rc_t ompd_get_generating_task_handle(ompd_task_handle_t *handle,
                                                      ompd_task_handle_t **made) {
    return make(*handle, handle->number + 1, made);
}

FAKE_EXPORT ompd_rc_t ompd_get_scheduling_task_handle(ompd_task_handle_t *handle,
                                                      ompd_task_handle_t **made) {
    // Success without a handle: a library's bug that must not reach a user as a null.
    return handle->number == 10 ? make(*handle, 20, made) : ompd_rc_ok;
}

FAKE_EXPORT ompd_rc_t ompd_get_task_in_parallel(ompd_parallel_handle_t *handle, int thread_num,
                                                ompd_task_handle_t **made) {
    return make(*handle, thread_num, made);
}

FAKE_EXPORT ompd_rc_t ompd_rel_task_handle(ompd_task_handle_t *handle) { return release(handle); }

FAKE_EXPORT ompd_rc_t ompd_task_handle_compare(ompd_task_handle_t *one, ompd_task_handle_t *other,
                                               int *order) {
    return compare(one, other, order);
}

FAKE_EXPORT ompd_rc_t ompd_get_task_function(ompd_task_handle_t *handle, ompd_address_t *entry) {
    *entry = {ompd_segment_none, 0x5000 + static_cast<ompd_addr_t>(handle->number)};
    return ompd_rc_ok;
}

FAKE_EXPORT ompd_rc_t ompd_get_task_frame(ompd_task_handle_t *, ompd_frame_info_t *exit,
                                          ompd_frame_info_t *enter) {
    exit->frame_address = {ompd_segment_none, 0x100};  // LLVM's leaves the flags alone, too
    *enter = {{ompd_segment_none, 0x200}, 0x11};
    return ompd_rc_ok;
}

FAKE_EXPORT ompd_rc_t ompd_enumerate_states(ompd_address_space_handle_t *, ompd_word_t current,
                                            ompd_word_t *next, const char **name,
                                            ompd_word_t *more) {
    *next = current == 0x102 ? 0 : current + 0x10;
    *more = endless || *next < 0x20 ? 1 : 0;
    return copy_text("ompt_state_fake", name);
}

FAKE_EXPORT ompd_rc_t ompd_get_display_control_vars(ompd_address_space_handle_t *,
                                                    const char *const **variables) {
    void *memory = nullptr;
    const ompd_rc_t rc = callbacks->alloc_memory(3 * sizeof(char *), &memory);
    auto *list = static_cast<const char **>(memory);
    if (rc == ompd_rc_ok) {
        list[0] = "OMP_NUM_THREADS=4";
        list[1] = "OMP_PLACES=\xff";
        *variables = list;
        live.insert(list);
    }
    return rc;
}

FAKE_EXPORT ompd_rc_t ompd_rel_display_control_vars(const char *const **variables) {
    return release(const_cast<const char **>(*variables));
}

FAKE_EXPORT ompd_rc_t ompd_enumerate_icvs(ompd_address_space_handle_t *, ompd_icv_id_t current,
                                          ompd_icv_id_t *next, const char **name,
                                          ompd_scope_t *scope, int *more) {
    *next = current + 1;
    *scope = ompd_scope_address_space;
    *more = endless || *next < fake_interrupted_read ? 1 : 0;
    return copy_text("fake-var", name);
}

FAKE_EXPORT ompd_rc_t ompd_get_icv_from_scope(void *untyped, ompd_scope_t scope,
                                              ompd_icv_id_t icv_id, ompd_word_t *value) {
    static ompd_word_t count = 0;
    const auto &handle = *static_cast<FakeHandle *>(untyped);
    ompd_word_t word = 0;
    *value = 0;
    switch (icv_id) {
    case fake_live_handles:
        *value = static_cast<ompd_word_t>(live.size());
        return ompd_rc_ok;
    case fake_bad_releases:
        *value = bad_releases;
        return ompd_rc_ok;
    case fake_incomplete:
        *value = 33;
        return ompd_rc_incomplete;
    case fake_print:
        std::cout << "from cout " << 1 << std::endl;
        std::printf("from printf %d\n", 2);
        std::puts("from puts");
        return ompd_rc_ok;
    case fake_print_string:
        return callbacks->print_string("a message", 7);
    case fake_throw:
        throw std::bad_alloc();
    case fake_count:
        *value = ++count;
        return ompd_rc_ok;
    case fake_masked_read:
        static_cast<void>(read_word(handle, &word));
        *value = 88;
        return ompd_rc_ok;
    case fake_last_scope:
        *value = scope;
        return ompd_rc_ok;
    case fake_interrupted_read:
        static_cast<void>(read_word(handle, &word));
        return read_word(handle, value);
    case fake_careless_read:
        return careless_read(handle);
    default:
        break;
    }
    const std::size_t misdeed = icv_id - fake_misdeeds;
    return misdeed < misdeeds::names.size() ? misdeeds::commit(misdeeds::names[misdeed], *callbacks)
                                            : ompd_rc_bad_input;
}

FAKE_EXPORT ompd_rc_t ompd_get_icv_string_from_scope(void *, ompd_scope_t, ompd_icv_id_t icv_id,
                                                     const char **text) {
    const ompd_rc_t rc = copy_text("text of an ICV", text);
    return icv_id == fake_incomplete ? ompd_rc_incomplete : rc;
}

FAKE_EXPORT ompd_rc_t ompd_get_tool_data(void *, ompd_scope_t scope, ompd_word_t *value,
                                         ompd_address_t *pointer) {
    *value = scope;
    *pointer = {ompd_segment_none, 0x1234};
    return ompd_rc_ok;
}
