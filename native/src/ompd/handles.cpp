// SPDX-License-Identifier: Apache-2.0
#include "ompd/handles.hpp"

#include <array>
#include <cstring>

namespace gdb_ompd {

namespace {

// Thread ids have at most 8 bytes; twice that leaves room for a careless library.
using IdBuffer = std::array<std::byte, 16>;
constexpr std::size_t max_id_size = 8;

}  // namespace

const ProcessCore &Handle::owner_in_scope(const char *call, ompd_scope_t scope) const {
    const ProcessCore &process = owner(call);
    if (!has_scope(scope)) {
        throw OmpdError(call, ompd_rc_bad_input);
    }
    return process;
}

Outcome Handle::ask_icv(ompd_icv_id_t icv_id, ompd_scope_t scope, ompd_word_t &value) const {
    const ProcessCore &process = owner_in_scope("ompd_get_icv_from_scope", scope);
    return process.call(process.functions().get_icv_from_scope, untyped(), scope, icv_id, &value);
}

ompd_word_t Handle::icv(ompd_icv_id_t icv_id, ompd_scope_t scope) const {
    ompd_word_t value = 0;
    ask_icv(icv_id, scope, value).check();
    return value;
}

std::pair<ompd_word_t, bool> Handle::icv_or_incomplete(ompd_icv_id_t icv_id,
                                                       ompd_scope_t scope) const {
    ompd_word_t value = 0;
    const Outcome outcome = ask_icv(icv_id, scope, value);
    if (outcome.code == ompd_rc_incomplete && !outcome.failure) {
        return {value, true};
    }
    outcome.check();
    return {value, false};
}

std::string Handle::icv_string(ompd_icv_id_t icv_id, ompd_scope_t scope) const {
    const ProcessCore &process = owner_in_scope("ompd_get_icv_string_from_scope", scope);
    const char *text = nullptr;
    const Outcome outcome = process.call(process.functions().get_icv_string_from_scope, untyped(),
                                         scope, icv_id, &text);
    const OwnedString owned(text);  // libompd also gives one where it fails
    outcome.check();
    return process.library()->text(outcome.call, text);
}

std::pair<ompd_word_t, TargetAddr> Handle::tool_data(ompd_scope_t scope) const {
    const ProcessCore &process = owner_in_scope("ompd_get_tool_data", scope);
    ompd_word_t value = 0;
    ompd_address_t pointer{ompd_segment_none, 0};
    process.call(process.functions().get_tool_data, untyped(), scope, &value, &pointer).check();
    return {value, TargetAddr{pointer.address}};
}

std::uint64_t ThreadHandle::thread_id(ompd_thread_id_t kind, std::size_t size) const {
    if (size > max_id_size) {
        throw OmpdError(function_names.get_thread_id.name, ompd_rc_bad_input);
    }
    IdBuffer buffer{};
    ask(&Functions::get_thread_id, kind, ompd_size_t{size}, static_cast<void *>(buffer.data()))
        .check();
    // A number in the host's order, as the callback got it.
    std::uint64_t id = 0;
    if (size == sizeof(std::uint32_t)) {
        std::uint32_t narrow = 0;
        std::memcpy(&narrow, buffer.data(), sizeof narrow);
        return narrow;
    }
    std::memcpy(&id, buffer.data(), sizeof id);
    return id;
}

Answered<ThreadHandle::State> ThreadHandle::ask_state() const {
    State found{0, 0};
    const Outcome outcome = ask(&Functions::get_state, &found.first, &found.second);
    return {found, outcome};
}

std::unique_ptr<ParallelHandle> ThreadHandle::curr_parallel() const {
    return obtain<ParallelHandle>(&Functions::get_curr_parallel_handle).checked();
}

std::unique_ptr<TaskHandle> ThreadHandle::curr_task() const {
    return obtain<TaskHandle>(&Functions::get_curr_task_handle).checked();
}

std::unique_ptr<ParallelHandle> ParallelHandle::enclosing_parallel() const {
    return obtain<ParallelHandle>(&Functions::get_enclosing_parallel_handle).checked();
}

std::unique_ptr<ThreadHandle> ParallelHandle::thread_in_parallel(int thread_num) const {
    return obtain<ThreadHandle>(&Functions::get_thread_in_parallel, thread_num).checked();
}

std::unique_ptr<TaskHandle> ParallelHandle::task_in_parallel(int thread_num) const {
    return obtain<TaskHandle>(&Functions::get_task_in_parallel, thread_num).checked();
}

std::unique_ptr<ParallelHandle> TaskHandle::task_parallel() const {
    return obtain<ParallelHandle>(&Functions::get_task_parallel_handle).checked();
}

std::unique_ptr<TaskHandle> TaskHandle::generating_task() const {
    return obtain<TaskHandle>(&Functions::get_generating_task_handle).checked();
}

std::unique_ptr<TaskHandle> TaskHandle::scheduling_task() const {
    return obtain<TaskHandle>(&Functions::get_scheduling_task_handle).checked();
}

Answered<TargetAddr> TaskHandle::ask_function() const {
    ompd_address_t entry{ompd_segment_none, 0};
    const Outcome outcome = ask(&Functions::get_task_function, &entry);
    return {TargetAddr{entry.address}, outcome};
}

Answered<TaskHandle::Frames> TaskHandle::ask_frame() const {
    // Zeroed because LLVM's library never writes the flags.
    ompd_frame_info_t exit{};
    ompd_frame_info_t enter{};
    const Outcome outcome = ask(&Functions::get_task_frame, &exit, &enter);
    return {{{TargetAddr{exit.frame_address.address}, exit.frame_flag},
             {TargetAddr{enter.frame_address.address}, enter.frame_flag}},
            outcome};
}

}  // namespace gdb_ompd
