// SPDX-License-Identifier: Apache-2.0
#include "base/specification.hpp"

#include "base/ompd_functions.hpp"

#include <algorithm>
#include <charconv>

namespace gdb_ompd::specification {

namespace {

// OpenMP 5.0, table 2.3; 5.1, table 2.3; 5.2, table 2.1; 6.0, chapter 3. The names with "ompd-" are
// OMPD's own (5.1, section 5.5.9.1). The rows of 6.0 were not compared with its published text. A
// library may have any of them in any version, and what it has is shown.
constexpr std::array all_icvs{
    Icv{{"dyn-var"}, Values::truth},
    Icv{{"nthreads-var"}, Values::number, true},
    Icv{{"run-sched-var"}, Values::schedule},
    Icv{{"def-sched-var", openmp_5_0, openmp_5_2}, Values::schedule},
    Icv{{"bind-var"}, Values::binding, true},
    Icv{{"stacksize-var"}, Values::bytes},
    Icv{{"wait-policy-var"}},
    Icv{{"thread-limit-var"}},
    Icv{{"max-active-levels-var"}},
    Icv{{"active-levels-var"}},
    Icv{{"levels-var"}},
    Icv{{"place-partition-var"}},
    Icv{{"cancel-var"}, Values::truth},
    Icv{{"display-affinity-var"}, Values::truth},
    Icv{{"affinity-format-var"}},
    Icv{{"default-device-var"}},
    Icv{{"target-offload-var"}},
    Icv{{"max-task-priority-var"}},
    Icv{{"tool-var"}, Values::ability},
    Icv{{"tool-libraries-var"}},
    Icv{{"debug-var"}, Values::ability},
    Icv{{"def-allocator-var"}},
    Icv{{"tool-verbose-init-var", openmp_5_1}},
    Icv{{"num-procs-var", openmp_5_1}},
    Icv{{"thread-num-var", openmp_5_1}},
    Icv{{"final-task-var", openmp_5_1}, Values::truth},
    Icv{{"implicit-task-var", openmp_5_1, openmp_5_2}, Values::truth},
    Icv{{"explicit-task-var", openmp_5_2}, Values::truth},
    Icv{{"team-size-var", openmp_5_1}},
    Icv{{"nteams-var", openmp_5_1}},
    Icv{{"teams-thread-limit-var", openmp_5_1}},
    Icv{{"team-generator-var", openmp_6_0}, Values::generator},
    Icv{{"league-size-var", openmp_6_0}},
    Icv{{"team-num-var", openmp_6_0}},
    Icv{{"free-agent-var", openmp_6_0}, Values::truth},
    Icv{{"free-agent-thread-limit-var", openmp_6_0}},
    Icv{{"structured-thread-limit-var", openmp_6_0}},
    Icv{{"device-num-var", openmp_6_0}},
    Icv{{"num-devices-var", openmp_6_0}},
    Icv{{"available-devices-var", openmp_6_0}},
    Icv{{"place-assignment-var", openmp_6_0}},
    Icv{{"ompd-num-procs-var"}, Values::number, false, "num-procs-var"},
    Icv{{"ompd-thread-num-var"}, Values::number, false, "thread-num-var"},
    Icv{{"ompd-final-var"}, Values::truth, false, "final-task-var"},
    Icv{{"ompd-implicit-var"}, Values::truth, false, "implicit-task-var"},
    Icv{{"ompd-team-size-var"}, Values::number, false, "team-size-var"},
};

// 5.0, section 5.3.9. What 6.0 adds are the league of a `teams` construct and a `target` region.
constexpr std::array all_scopes{
    Scope{{"ompd_scope_global"}, ompd_scope_global, "global"},
    Scope{{"ompd_scope_address_space"}, ompd_scope_address_space, "address space"},
    Scope{{"ompd_scope_thread"}, ompd_scope_thread, "thread"},
    Scope{{"ompd_scope_parallel"}, ompd_scope_parallel, "parallel"},
    Scope{{"ompd_scope_implicit_task"}, ompd_scope_implicit_task, "implicit task"},
    Scope{{"ompd_scope_task"}, ompd_scope_task, "task"},
    Scope{{"ompd_scope_teams", openmp_6_0}, ompd_scope_teams, "teams"},
    Scope{{"ompd_scope_target", openmp_6_0}, ompd_scope_target, "target"},
};

// 5.0, section 4.4.4.26; 5.1, section 4.4.4.28.
constexpr std::array all_states{
    Name{"work_serial"},
    Name{"work_parallel"},
    Name{"work_reduction"},
    Name{"wait_barrier"},
    Name{"wait_barrier_implicit_parallel"},
    Name{"wait_barrier_implicit_workshare"},
    Name{"wait_barrier_implicit"},
    Name{"wait_barrier_explicit"},
    Name{"wait_barrier_implementation", openmp_5_1},
    Name{"wait_barrier_teams", openmp_5_1},
    Name{"wait_taskwait"},
    Name{"wait_taskgroup"},
    Name{"wait_mutex"},
    Name{"wait_lock"},
    Name{"wait_critical"},
    Name{"wait_atomic"},
    Name{"wait_ordered"},
    Name{"wait_target"},
    Name{"wait_target_map"},
    Name{"wait_target_update"},
    Name{"idle"},
    Name{"overhead"},
    Name{"undefined"},
};

// 5.0, section 5.6; 6.0, chapter 42.
constexpr std::array all_events{
    Event{{"parallel-begin"}, "ompd_bp_parallel_begin"},
    Event{{"parallel-end"}, "ompd_bp_parallel_end"},
    Event{{"task-begin"}, "ompd_bp_task_begin"},
    Event{{"task-end"}, "ompd_bp_task_end"},
    Event{{"thread-begin"}, "ompd_bp_thread_begin"},
    Event{{"thread-end"}, "ompd_bp_thread_end"},
    Event{{"device-begin", openmp_5_0, openmp_6_0}, "ompd_bp_device_begin"},
    Event{{"device-end", openmp_5_0, openmp_6_0}, "ompd_bp_device_end"},
    Event{{"teams-begin", openmp_6_0}, "ompd_bp_teams_begin"},
    Event{{"teams-end", openmp_6_0}, "ompd_bp_teams_end"},
    Event{{"target-begin", openmp_6_0}, "ompd_bp_target_begin"},
    Event{{"target-end", openmp_6_0}, "ompd_bp_target_end"},
};

// 5.0, section 5.3.13.
constexpr std::array all_return_codes{
    ReturnCode{{"ompd_rc_ok"}, ompd_rc_ok, "success"},
    ReturnCode{{"ompd_rc_unavailable"}, ompd_rc_unavailable, "there is no such information here"},
    ReturnCode{{"ompd_rc_stale_handle"}, ompd_rc_stale_handle, "the handle is no longer valid"},
    ReturnCode{{"ompd_rc_bad_input"}, ompd_rc_bad_input, "an argument is not valid"},
    ReturnCode{{"ompd_rc_error"}, ompd_rc_error, "the call failed"},
    ReturnCode{
        {"ompd_rc_unsupported"}, ompd_rc_unsupported, "the OMPD library does not support this"},
    ReturnCode{{"ompd_rc_needs_state_tracking"},
               ompd_rc_needs_state_tracking,
               "the runtime does not track states; enable OMPD events first"},
    ReturnCode{{"ompd_rc_incompatible"},
               ompd_rc_incompatible,
               "the OMPD library does not fit the program's runtime or the value's type"},
    ReturnCode{
        {"ompd_rc_device_read_error"}, ompd_rc_device_read_error, "a read from the target failed"},
    ReturnCode{
        {"ompd_rc_device_write_error"}, ompd_rc_device_write_error, "a write to the target failed"},
    ReturnCode{{"ompd_rc_nomem"}, ompd_rc_nomem, "out of memory"},
    ReturnCode{
        {"ompd_rc_incomplete"}, ompd_rc_incomplete, "only part of the answer could be given"},
    ReturnCode{
        {"ompd_rc_callback_error"}, ompd_rc_callback_error, "a callback of the debugger failed"},
    ReturnCode{{"ompd_rc_incompatible_handle", openmp_6_0},
               ompd_rc_incompatible_handle,
               "the handle is of the wrong kind"},
};

// The signatures of the last two are not verified, so nothing here calls them.
#define GDB_OMPD_NAME(name, ...) Name{#name},
constexpr std::array all_functions{GDB_OMPD_FUNCTIONS(GDB_OMPD_NAME)
                                       Name{"get_device_thread_id_kinds", openmp_5_2},
                                   Name{"get_device_from_thread", openmp_5_2}};
#undef GDB_OMPD_NAME

const Icv *find(std::string_view name) {
    const auto *const found = std::ranges::find(all_icvs, name, &Icv::name);
    return found == all_icvs.end() ? nullptr : found;
}

// Writing values

// omp_proc_bind_t (5.0, section 3.2.23), and LLVM's own word. 5.1 calls the master thread primary.
constexpr std::array<std::string_view, 6> bindings{"false", "true",   "primary",
                                                   "close", "spread", "intel"};
// Who has made a team (6.0, the type team_generator).
constexpr std::array<std::string_view, 4> generators{"program", "parallel", "teams", "target"};

template <std::size_t count>
std::string word_of(const std::array<std::string_view, count> &words, ompd_word_t number) {
    return number >= 0 && static_cast<std::size_t>(number) < count
               ? std::string(words[static_cast<std::size_t>(number)])
               : std::to_string(number) + " (unknown)";
}

std::string bytes_in_words(ompd_word_t bytes) {
    for (const auto &[shift, unit] : {std::pair(30, " GiB"), {20, " MiB"}, {10, " KiB"}}) {
        const ompd_word_t one = ompd_word_t{1} << shift;
        if (bytes >= one && bytes % one == 0) {
            return std::to_string(bytes / one) + unit;
        }
    }
    return std::to_string(bytes) + " bytes";
}

std::string number_in_words(Values values, ompd_word_t number) {
    switch (values) {
    case Values::truth:
        return number != 0 ? "true" : "false";
    case Values::ability:
        return number != 0 ? "enabled" : "disabled";
    case Values::binding:
        return word_of(bindings, number);
    case Values::generator:
        return word_of(generators, number);
    case Values::bytes:
        return bytes_in_words(number);
    case Values::number:
    case Values::schedule:
        break;
    }
    return std::to_string(number);
}

// The items of TEXT in words, nothing where it is no list of numbers.
std::optional<std::string> list_in_words(Values values, std::string_view text) {
    std::string words;
    for (const char *at = text.begin();; ++at) {
        ompd_word_t number = 0;
        const auto [end, error] = std::from_chars(at, text.end(), number);
        if (error != std::errc() || (end != text.end() && *end != ',')) {
            return std::nullopt;
        }
        words += (words.empty() ? "" : ",") + number_in_words(values, number);
        if (end == text.end()) {
            return words;
        }
        at = end;
    }
}

}  // namespace

std::span<const Icv> icvs() noexcept { return all_icvs; }
std::span<const Scope> scopes() noexcept { return all_scopes; }
std::span<const Name> states() noexcept { return all_states; }
std::span<const Event> events() noexcept { return all_events; }
std::span<const ReturnCode> return_codes() noexcept { return all_return_codes; }
std::span<const Name> functions() noexcept { return all_functions; }

std::string_view icv_name(std::string_view name) noexcept {
    constexpr std::string_view prefix = "ompd-";
    if (const Icv *const alias = find(name); alias != nullptr && !alias->same_as.empty()) {
        return alias->same_as;
    }
    // LLVM's library has more names with it.
    return name.starts_with(prefix) ? name.substr(prefix.size()) : name;
}

const Scope *scope(ompd_scope_t number) noexcept {
    const auto *const found = std::ranges::find(all_scopes, number, &Scope::number);
    return found == all_scopes.end() ? nullptr : found;
}

std::string icv_in_words(std::string_view name, std::optional<ompd_word_t> number,
                         const std::optional<std::string> &text) {
    const Icv *const icv = find(icv_name(name));
    const Values values = icv == nullptr ? Values::number : icv->values;
    if (!text) {
        return number ? number_in_words(values, *number) : "";
    }
    if (values == Values::schedule && text->ends_with(",0")) {
        return text->substr(0, text->size() - 2);  // LLVM's word for a schedule without a chunk
    }
    return number ? list_in_words(values, *text).value_or(*text) : *text;
}

}  // namespace gdb_ompd::specification
