// SPDX-License-Identifier: Apache-2.0
// What is demanded of enumerations, ICVs, settings and tool data, and of whose memory is whose.
#include "subject.hpp"

namespace gdb_ompd {

// Enumerations

struct EnumeratedState {
    ompd_word_t number;
    std::string name;
};

static std::vector<EnumeratedState> states_of(Subject &s) {
    std::vector<EnumeratedState> found;
    ompd_word_t current = 0x102;
    ompd_word_t more = 1;
    while (more != 0 && found.size() < 1000) {
        const char *name = nullptr;
        s.need(s.f().enumerate_states, s.process(), current, &current, &name, &more);
        found.push_back({current, name == nullptr || !block_size(name) ? "" : name});
    }
    return found;
}

struct EnumeratedIcv {
    ompd_icv_id_t id;
    std::string name;
    ompd_scope_t scope;
};

static std::vector<EnumeratedIcv> icvs_of(Subject &s) {
    std::vector<EnumeratedIcv> found;
    ompd_icv_id_t current = ompd_icv_undefined;
    int more = 1;
    while (more != 0 && found.size() < 1000) {
        const char *name = nullptr;
        ompd_scope_t scope{};
        s.need(s.f().enumerate_icvs, s.process(), current, &current, &name, &scope, &more);
        found.push_back({current, name == nullptr || !block_size(name) ? "" : name, scope});
    }
    return found;
}

// Whether VERSION or a newer one was agreed on.
static bool speaks(const Subject &s, ompd_word_t version) {
    return s.library.agreed_version() >= version;
}

// What 6.0 has no longer by its old name, which 5.0 has.
constexpr std::array<std::pair<const char *, const char *>, 5> renamed{
    {{"num-procs-var", "ompd-num-procs-var"},
     {"thread-num-var", "ompd-thread-num-var"},
     {"team-size-var", "ompd-team-size-var"},
     {"final-task-var", "ompd-final-var"},
     {"implicit-task-var", "ompd-implicit-var"}}};

static void *handle_in(Subject &s, ompd_scope_t scope) {
    switch (scope) {
    case ompd_scope_global:
    case ompd_scope_address_space:
        return s.process();
    case ompd_scope_thread:
        return s.thread(0);
    case ompd_scope_parallel:
    case ompd_scope_teams:
    case ompd_scope_target:
        return s.region();
    case ompd_scope_implicit_task:
        return s.task(1);
    default:
        return s.task();
    }
}

static const EnumeratedIcv *find(const std::vector<EnumeratedIcv> &icvs, const std::string &name) {
    for (const EnumeratedIcv &icv : icvs) {
        if (icv.name == name) {
            return &icv;
        }
    }
    return nullptr;
}

// How many ICVs are answered in a way that is not ALLOWED, "ok" if none is.
static std::string all_icvs(Subject &s,
                            const std::function<std::string(const EnumeratedIcv &)> &ask,
                            const std::set<std::string> &allowed) {
    std::map<std::string, int> wrong;
    for (const EnumeratedIcv &icv : icvs_of(s)) {
        const std::string outcome = ask(icv);
        if (!allowed.contains(outcome)) {
            ++wrong[outcome];
        }
    }
    std::string text;
    for (const auto &[outcome, count] : wrong) {
        text += (text.empty() ? "" : ", ") + outcome + " for " + std::to_string(count);
    }
    return text.empty() ? "ok" : text;
}

static std::string icv_is(Subject &s, const char *name, ompd_word_t truth) {
    const auto icvs = icvs_of(s);
    const EnumeratedIcv *icv = find(icvs, name);
    for (const auto &[own, old_name] : renamed) {
        icv = icv == nullptr && std::strcmp(own, name) == 0 ? find(icvs, old_name) : icv;
    }
    ompd_word_t value = -1;
    if (icv == nullptr) {
        return "no such ICV";
    }
    const std::string outcome =
        s.ask(s.f().get_icv_from_scope, handle_in(s, icv->scope), icv->scope, icv->id, &value);
    return outcome != "ok" && outcome != "incomplete" ? outcome : yes(value == truth, "wrong");
}

void demand_of_enumerations() {
    demand("enumerate_states", "ok", [](Subject &s) -> std::string {
        std::set<ompd_word_t> numbers;
        std::set<std::string> names;
        for (const auto &[number, name] : states_of(s)) {
            if (name.empty() || !numbers.insert(number).second || !names.insert(name).second) {
                return "a state without a name of its own";
            }
        }
        return yes(names.contains("ompt_state_work_parallel"), "without work_parallel");
    });
    demand("enumerate_states: a state that is none", bad, [](Subject &s) -> std::string {
        ompd_word_t next = 0;
        ompd_word_t more = 0;
        const char *name = nullptr;
        return s.ask(s.f().enumerate_states, s.process(), ompd_word_t{0x7777}, &next, &name, &more);
    });
    demand("enumerate_states: no handle", no_handle, [](Subject &s) -> std::string {
        ompd_word_t next = 0;
        ompd_word_t more = 0;
        const char *name = nullptr;
        return s.ask(s.f().enumerate_states, nothing, ompd_word_t{0x102}, &next, &name, &more);
    });
    demand("enumerate_states: nowhere to", bad,
           ASK(s.f().enumerate_states, s.process(), ompd_word_t{0x102}, nothing, nothing, nothing));
    demand("enumerate_icvs", "ok", [](Subject &s) -> std::string {
        std::set<ompd_icv_id_t> ids;
        std::set<std::string> names;
        for (const auto &[id, name, scope] : icvs_of(s)) {
            const auto last = speaks(s, 202411) ? ompd_scope_target : ompd_scope_task;
            const bool scoped = scope >= ompd_scope_global && scope <= last;
            if (name.empty() || !scoped || !ids.insert(id).second || !names.insert(name).second) {
                return "an ICV without a name of its own";
            }
        }
        return "ok";
    });
    demand("enumerate_icvs: those that OMPD names", "ok", [](Subject &s) -> std::string {
        const auto icvs = icvs_of(s);
        std::string missing;
        for (const auto &[name, old_name] : renamed) {
            const bool is_there = find(icvs, name) != nullptr ||
                                  (!speaks(s, 202411) && find(icvs, old_name) != nullptr);
            const bool is_dropped =
                speaks(s, 202111) && std::strcmp(name, "implicit-task-var") == 0;
            missing += is_there || is_dropped ? "" : std::string(" ") + name;
        }
        const bool newer = find(icvs, "explicit-task-var") != nullptr;
        const bool older = find(icvs, "implicit-task-var") != nullptr;
        missing += newer == speaks(s, 202111) && !(newer && older) ? "" : " the task's kind";
        return missing.empty() ? "ok" : "without" + missing;
    });
    demand("enumerate_icvs: an id that is none", bad, [](Subject &s) -> std::string {
        ompd_icv_id_t next = 0;
        ompd_scope_t scope{};
        int more = 0;
        const char *name = nullptr;
        return s.ask(s.f().enumerate_icvs, s.process(), ompd_icv_id_t{7777}, &next, &name, &scope,
                     &more);
    });
    demand("enumerate_icvs: no handle", no_handle, [](Subject &s) -> std::string {
        ompd_icv_id_t next = 0;
        ompd_scope_t scope{};
        int more = 0;
        const char *name = nullptr;
        return s.ask(s.f().enumerate_icvs, nothing, ompd_icv_undefined, &next, &name, &scope,
                     &more);
    });
    demand("enumerate_icvs: nowhere to", bad,
           ASK(s.f().enumerate_icvs, s.process(), ompd_icv_undefined, nothing, nothing, nothing,
               nothing));
    demand("get_display_control_vars", "ok", [](Subject &s) -> std::string {
        const char *const *list = nullptr;
        s.need(s.f().get_display_control_vars, s.process(), &list);
        std::string wrong;
        for (; *list != nullptr; ++list) {
            wrong += std::strchr(*list, '=') == nullptr ? std::string("[") + *list + "]" : "";
        }
        return wrong.empty() ? "ok" : "no name=value: " + wrong;
    });
    demand("get_display_control_vars: no handle", no_handle, [](Subject &s) -> std::string {
        const char *const *list = nullptr;
        return s.ask(s.f().get_display_control_vars, nothing, &list);
    });
    demand("get_display_control_vars: nowhere to", bad,
           ASK(s.f().get_display_control_vars, s.process(), nothing));
    demand("rel_display_control_vars", "ok", [](Subject &s) -> std::string {
        const char *const *list = nullptr;
        s.need(s.f().get_display_control_vars, s.process(), &list);
        return s.ask(s.f().rel_display_control_vars, &list);
    });
    demand("rel_display_control_vars: nothing", bad, ASK(s.f().rel_display_control_vars, nothing));
}

void demand_of_icvs() {
    demand("get_icv_from_scope", "ok", [](Subject &s) -> std::string {
        return all_icvs(s,
                        [&](const EnumeratedIcv &icv) {
                            ompd_word_t value = 0;
                            return s.ask(s.f().get_icv_from_scope, handle_in(s, icv.scope),
                                         icv.scope, icv.id, &value);
                        },
                        {"ok", "incomplete", "incompatible"});
    });
    demand("get_icv_string_from_scope", "ok", [](Subject &s) -> std::string {
        return all_icvs(s,
                        [&](const EnumeratedIcv &icv) {
                            const char *text = nullptr;
                            const std::string outcome =
                                s.ask(s.f().get_icv_string_from_scope, handle_in(s, icv.scope),
                                      icv.scope, icv.id, &text);
                            return outcome == "ok" && !block_size(text) ? "not the tool's memory"
                                                                        : outcome;
                        },
                        {"ok"});
    });
    demand("get_icv_from_scope: levels-var", "ok",
           [](Subject &s) -> std::string { return icv_is(s, "levels-var", 2); });
    demand("get_icv_from_scope: active-levels-var", "ok",
           [](Subject &s) -> std::string { return icv_is(s, "active-levels-var", 2); });
    demand("get_icv_from_scope: team-size-var", "ok",
           [](Subject &s) -> std::string { return icv_is(s, "team-size-var", SCENE_INNER); });
    demand("get_icv_from_scope: thread-num-var", "ok",
           [](Subject &s) -> std::string { return icv_is(s, "thread-num-var", 0); });
    // The scene is stopped in an explicit task.
    demand("get_icv_from_scope: a task's kind", "ok", [](Subject &s) -> std::string {
        return speaks(s, 202111) ? icv_is(s, "explicit-task-var", 1)
                                 : icv_is(s, "implicit-task-var", 0);
    });
    demand("get_icv_from_scope: max-active-levels-var", "ok",
           [](Subject &s) -> std::string { return icv_is(s, "max-active-levels-var", 2); });
    demand("get_icv_from_scope: another scope", "ok", [](Subject &s) -> std::string {
        return all_icvs(s,
                        [&](const EnumeratedIcv &icv) {
                            const auto other = icv.scope == ompd_scope_thread ? ompd_scope_parallel
                                                                              : ompd_scope_thread;
                            ompd_word_t value = 0;
                            return s.ask(s.f().get_icv_from_scope, handle_in(s, other), other,
                                         icv.id, &value);
                        },
                        {speaks(s, 202411) ? "incompatible" : "bad_input"});
    });
    demand("get_icv_from_scope: an id that is none", bad, [](Subject &s) -> std::string {
        ompd_word_t value = 0;
        return s.ask(s.f().get_icv_from_scope, s.process(), ompd_scope_address_space,
                     ompd_icv_id_t{7777}, &value);
    });
    demand("get_icv_from_scope: no handle", no_handle, [](Subject &s) -> std::string {
        const EnumeratedIcv icv = icvs_of(s).front();
        ompd_word_t value = 0;
        return s.ask(s.f().get_icv_from_scope, nothing, icv.scope, icv.id, &value);
    });
    demand("get_icv_from_scope: nowhere to", bad, [](Subject &s) -> std::string {
        const EnumeratedIcv icv = icvs_of(s).front();
        return s.ask(s.f().get_icv_from_scope, handle_in(s, icv.scope), icv.scope, icv.id, nothing);
    });
    demand("get_icv_string_from_scope: an id that is none", bad, [](Subject &s) -> std::string {
        const char *text = nullptr;
        return s.ask(s.f().get_icv_string_from_scope, s.process(), ompd_scope_address_space,
                     ompd_icv_id_t{7777}, &text);
    });
    demand("get_icv_string_from_scope: no handle", no_handle, [](Subject &s) -> std::string {
        const EnumeratedIcv icv = icvs_of(s).front();
        const char *text = nullptr;
        return s.ask(s.f().get_icv_string_from_scope, nothing, icv.scope, icv.id, &text);
    });
    demand("get_icv_string_from_scope: nowhere to", bad, [](Subject &s) -> std::string {
        const auto icvs = icvs_of(s);
        const EnumeratedIcv *icv = find(icvs, "run-sched-var");
        return s.ask(s.f().get_icv_string_from_scope, handle_in(s, icv->scope), icv->scope, icv->id,
                     nothing);
    });
}

static std::string ask_tool_data(Subject &s, void *handle, ompd_scope_t scope) {
    ompd_word_t value = 0;
    ompd_address_t pointer{};
    return s.ask(s.f().get_tool_data, handle, scope, &value, &pointer);
}

void demand_of_tool_data() {
    for (const auto &[scope, name] : {std::pair{ompd_scope_thread, "thread"},
                                      {ompd_scope_parallel, "parallel"},
                                      {ompd_scope_implicit_task, "implicit task"},
                                      {ompd_scope_task, "task"}}) {
        demand(
            std::string("get_tool_data: ") + name, std::string("ok|") + not_given,
            [scope = scope](Subject &s) { return ask_tool_data(s, handle_in(s, scope), scope); });
    }
    demand("get_tool_data: a scope that has none", std::string(bad) + "|" + not_given,
           [](Subject &s) -> std::string {
               return ask_tool_data(s, s.process(), ompd_scope_address_space);
           });
    demand("get_tool_data: a scope that is none", std::string(bad) + "|unsupported",
           [](Subject &s) -> std::string {
               return ask_tool_data(s, s.process(), static_cast<ompd_scope_t>(77));
           });
    demand("get_tool_data: no handle", no_handle,
           [](Subject &s) -> std::string { return ask_tool_data(s, nullptr, ompd_scope_thread); });
    demand("get_tool_data: nowhere to", bad,
           ASK(s.f().get_tool_data, s.thread(0), ompd_scope_thread, nothing, nothing));
}

void demand_of_memory_and_output() {
    demand("memory: all that was lent is given back", "ok", [](Subject &s) -> std::string {
        const std::size_t before = blocks_in_use();
        auto *const thread = s.thread(0);
        ompd_parallel_handle_t *region = nullptr;
        ompd_task_handle_t *task = nullptr;
        s.need(s.f().get_curr_parallel_handle, thread, &region);
        s.need(s.f().get_curr_task_handle, thread, &task);
        s.need(s.f().rel_task_handle, task);
        s.need(s.f().rel_parallel_handle, region);
        s.need(s.f().rel_thread_handle, thread);
        s.need(s.f().rel_address_space_handle, s.process());
        return yes(blocks_in_use() == before, "something is kept");
    });
    demand("output: nothing is printed", "ok", [](Subject &s) -> std::string {
        s.task();
        icvs_of(s);
        return yes(s.library.take_output().empty(), "printed");
    });
}

}  // namespace gdb_ompd
