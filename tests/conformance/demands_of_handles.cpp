// SPDX-License-Identifier: Apache-2.0
// What is demanded of the library itself, its handles and what leads from one to another.
#include "subject.hpp"

namespace gdb_ompd {

void demand_of_the_library() {
    demand("get_api_version", "ok", [](Subject &s) -> std::string {
        ompd_word_t version = 0;
        s.need(s.f().get_api_version, &version);
        return yes(version >= 201811 && version % 100 >= 1 && version % 100 <= 12, "no date");
    });
    demand("get_api_version: nowhere to", bad, ASK(s.f().get_api_version, nothing));
    demand("get_version_string", "ok", [](Subject &s) -> std::string {
        const char *one = nullptr;
        const char *other = nullptr;
        s.need(s.f().get_version_string, &one);
        s.need(s.f().get_version_string, &other);
        return yes(one == other && one != nullptr && *one != '\0' && !block_size(one),
                   "not a lasting text of its own");
    });
    demand("get_version_string: nowhere to", bad, ASK(s.f().get_version_string, nothing));
    demand("initialize: a version that is none", "unsupported",
           ASK(s.f().initialize, ompd_word_t{199710}, &callback_table()));
    demand("initialize: no callbacks", bad,
           ASK(s.f().initialize, s.library.agreed_version(), nothing));
    demand("finalize", "ok", ASK(s.f().finalize));
    demand("finalize: twice", "unsupported", [](Subject &s) -> std::string {
        s.need(s.f().finalize);
        return s.ask(s.f().finalize);
    });
}

void demand_of_the_process() {
    demand("process_initialize", "ok", [](Subject &s) -> std::string {
        ompd_address_space_handle_t *made = nullptr;
        s.need(s.f().process_initialize, s.space.context(), &made);
        return yes(made != nullptr, "no handle");
    });
    demand("process_initialize: no context", bad, [](Subject &s) -> std::string {
        ompd_address_space_handle_t *made = nullptr;
        return s.ask(s.f().process_initialize, nothing, &made);
    });
    demand("process_initialize: nowhere to", bad,
           ASK(s.f().process_initialize, s.space.context(), nothing));
    demand("device_initialize: a device that is none", "unavailable|unsupported|bad_input",
           [](Subject &s) -> std::string {
               ompd_address_space_handle_t *made = nullptr;
               char id[] = "none";
               return s.ask(s.f().device_initialize, s.process(), s.space.context(),
                            ompd_device_t{99}, ompd_size_t{4}, static_cast<void *>(id), &made);
           });
    demand("rel_address_space_handle", "ok", ASK(s.f().rel_address_space_handle, s.process()));
    demand("rel_address_space_handle: no handle", no_handle,
           ASK(s.f().rel_address_space_handle, nothing));
    demand("get_omp_version", "ok", [](Subject &s) -> std::string {
        ompd_word_t version = 0;
        s.need(s.f().get_omp_version, s.process(), &version);
        return yes(version >= 201107, "no version");
    });
    demand("get_omp_version: no handle", no_handle, [](Subject &s) -> std::string {
        ompd_word_t version = 0;
        return s.ask(s.f().get_omp_version, nothing, &version);
    });
    demand("get_omp_version: nowhere to", bad, ASK(s.f().get_omp_version, s.process(), nothing));
    demand("get_omp_version_string", "ok", [](Subject &s) -> std::string {
        const char *text = nullptr;
        s.need(s.f().get_omp_version_string, s.process(), &text);
        return yes(text != nullptr && block_size(text), "not the tool's memory");
    });
    demand("get_omp_version_string: no handle", no_handle, [](Subject &s) -> std::string {
        const char *text = nullptr;
        return s.ask(s.f().get_omp_version_string, nothing, &text);
    });
    demand("get_omp_version_string: nowhere to", bad,
           ASK(s.f().get_omp_version_string, s.process(), nothing));
}

// A thread id of KIND and SIZE, asked for a handle.
static std::string ask_thread(Subject &s, ompd_thread_id_t kind, ompd_size_t size,
                              std::uint64_t id) {
    ompd_thread_handle_t *made = nullptr;
    return s.ask(s.f().get_thread_handle, s.process(), kind, size, &id, &made);
}

static std::string ask_id(Subject &s, ompd_thread_id_t kind, ompd_size_t size) {
    std::array<std::byte, 64> id{};
    return s.ask(s.f().get_thread_id, s.thread(0), kind, size, static_cast<void *>(id.data()));
}

void demand_of_threads() {
    demand("get_thread_handle: by pthread", "ok", [](Subject &s) -> std::string {
        for (int place = 0; place < SCENE_THREADS; ++place) {
            s.thread(place);
        }
        return "ok";
    });
    demand("get_thread_handle: by LWP", "ok|unsupported", [](Subject &s) -> std::string {
        return ask_thread(s, ompd_thread_id_lwp, 4, static_cast<unsigned>(threads[0].lwp));
    });
    demand(
        "get_thread_handle: an id that no thread has", "unavailable|bad_input",
        [](Subject &s) -> std::string { return ask_thread(s, ompd_thread_id_pthread, 8, 0x1234); });
    demand("get_thread_handle: an id of another size", bad, [](Subject &s) -> std::string {
        return ask_thread(s, ompd_thread_id_pthread, 3, threads[0].pthread);
    });
    demand("get_thread_handle: a kind that is none", "unsupported|bad_input",
           [](Subject &s) -> std::string { return ask_thread(s, 99, 8, threads[0].pthread); });
    demand("get_thread_handle: no handle", no_handle, [](Subject &s) -> std::string {
        ompd_thread_handle_t *made = nullptr;
        return s.ask(s.f().get_thread_handle, nothing, ompd_thread_id_pthread, ompd_size_t{8},
                     &threads[0].pthread, &made);
    });
    demand("get_thread_handle: no id", bad, [](Subject &s) -> std::string {
        ompd_thread_handle_t *made = nullptr;
        return s.ask(s.f().get_thread_handle, s.process(), ompd_thread_id_pthread, ompd_size_t{8},
                     nothing, &made);
    });
    demand("get_thread_handle: nowhere to", bad,
           ASK(s.f().get_thread_handle, s.process(), ompd_thread_id_pthread, ompd_size_t{8},
               &threads[0].pthread, nothing));
    demand("rel_thread_handle", "ok", ASK(s.f().rel_thread_handle, s.thread(0)));
    demand("rel_thread_handle: no handle", no_handle, ASK(s.f().rel_thread_handle, nothing));
    demand("get_thread_id: pthread", "ok", [](Subject &s) -> std::string {
        std::uint64_t id = 0;
        s.need(s.f().get_thread_id, s.thread(1), ompd_thread_id_pthread, ompd_size_t{8}, &id);
        return yes(id == threads[1].pthread, "another thread's");
    });
    demand("get_thread_id: LWP", "ok|unsupported", [](Subject &s) -> std::string {
        int id = threads[0].lwp;
        const std::string code =
            s.ask(s.f().get_thread_id, s.thread(0), ompd_thread_id_lwp, ompd_size_t{4}, &id);
        return id == threads[0].lwp ? code : "another thread's";
    });
    demand("get_thread_id: of another size", bad,
           [](Subject &s) -> std::string { return ask_id(s, ompd_thread_id_pthread, 3); });
    demand("get_thread_id: a kind that is none", "unsupported|bad_input",
           [](Subject &s) -> std::string { return ask_id(s, 99, 8); });
    demand("get_thread_id: no handle", no_handle, [](Subject &s) -> std::string {
        std::uint64_t id = 0;
        return s.ask(s.f().get_thread_id, nothing, ompd_thread_id_pthread, ompd_size_t{8}, &id);
    });
    demand("get_thread_id: nowhere to", bad,
           ASK(s.f().get_thread_id, s.thread(0), ompd_thread_id_pthread, ompd_size_t{8}, nothing));
    demand("get_state", "ok", [](Subject &s) -> std::string {
        ompd_word_t state = -1;
        ompd_wait_id_t wait = 0;
        s.need(s.f().get_state, s.thread(0), &state, &wait);
        return yes(state == 1, "not work_parallel");
    });
    demand("get_state: no handle", no_handle, [](Subject &s) -> std::string {
        ompd_word_t state = -1;
        ompd_wait_id_t wait = 0;
        return s.ask(s.f().get_state, nothing, &state, &wait);
    });
    demand("get_state: nowhere to", bad, [](Subject &s) -> std::string {
        ompd_wait_id_t wait = 0;
        return s.ask(s.f().get_state, s.thread(0), nothing, &wait);
    });
}

// The compare functions are an order in which what is the same is equal.
template <class H>
std::string is_order(Subject &s, const Function<ompd_rc_t(H *, H *, int *)> &function,
                     const std::vector<H *> &different, H *again) {
    if (s.order(function, different[0], again) != 0) {
        return "the same is not equal";
    }
    for (H *one : different) {
        for (H *other : different) {
            const int sign = s.order(function, one, other);
            if (sign != -s.order(function, other, one) || (sign == 0) != (one == other)) {
                return "no order";
            }
            for (H *third : different) {
                const int next = s.order(function, other, third);
                if (sign == next && sign != 0 && s.order(function, one, third) != sign) {
                    return "no order of three";
                }
            }
        }
    }
    return "ok";
}

void demand_of_orders() {
    demand("thread_handle_compare", "ok", [](Subject &s) -> std::string {
        const std::vector all{s.thread(0), s.thread(1), s.thread(2), s.thread(3)};
        return is_order(s, s.f().thread_handle_compare, all, s.thread(0));
    });
    demand("parallel_handle_compare", "ok", [](Subject &s) -> std::string {
        auto *const inner = s.region();
        auto *const outer = s.enclosing(inner);
        return is_order(s, s.f().parallel_handle_compare, {inner, outer}, s.region(1));
    });
    demand("task_handle_compare", "ok", [](Subject &s) -> std::string {
        const std::vector all{s.task(0), s.task(1), s.task(2), s.task(3)};
        return is_order(s, s.f().task_handle_compare, all, s.task(0));
    });
    demand("thread_handle_compare: no handle", no_handle, [](Subject &s) -> std::string {
        int order = 0;
        return s.ask(s.f().thread_handle_compare, s.thread(0), nothing, &order);
    });
    demand("parallel_handle_compare: no handle", no_handle, [](Subject &s) -> std::string {
        int order = 0;
        return s.ask(s.f().parallel_handle_compare, nothing, s.region(), &order);
    });
    demand("task_handle_compare: no handle", no_handle, [](Subject &s) -> std::string {
        int order = 0;
        return s.ask(s.f().task_handle_compare, s.task(), nothing, &order);
    });
    demand("thread_handle_compare: nowhere to", bad,
           ASK(s.f().thread_handle_compare, s.thread(0), s.thread(1), nothing));
    demand("parallel_handle_compare: nowhere to", bad,
           ASK(s.f().parallel_handle_compare, s.region(0), s.region(2), nothing));
    demand("task_handle_compare: nowhere to", bad,
           ASK(s.f().task_handle_compare, s.task(0), s.task(1), nothing));
}

static std::string ask_member(Subject &s, int thread_num) {
    ompd_thread_handle_t *made = nullptr;
    return s.ask(s.f().get_thread_in_parallel, s.region(), thread_num, &made);
}

static std::string ask_implicit(Subject &s, int thread_num) {
    ompd_task_handle_t *made = nullptr;
    return s.ask(s.f().get_task_in_parallel, s.region(), thread_num, &made);
}

// The end of a chain that begins at HANDLE, at most LONGEST steps away.
template <class H>
std::string end_of(Subject &s, const Function<ompd_rc_t(H *, H **)> &step, H *handle, int longest) {
    for (int i = 0; i <= longest; ++i) {
        H *next = nullptr;
        const std::string outcome = s.ask(step, handle, &next);
        if (outcome != "ok") {
            return outcome;
        }
        handle = next;
    }
    return "has no end";
}

void demand_of_regions() {
    demand("get_curr_parallel_handle", "ok", [](Subject &s) -> std::string {
        return yes(s.same(s.region(0), s.region(1)) && !s.same(s.region(1), s.region(2)) &&
                       s.same(s.region(2), s.region(3)),
                   "not the team's");
    });
    demand("get_curr_parallel_handle: no handle", no_handle, [](Subject &s) -> std::string {
        ompd_parallel_handle_t *made = nullptr;
        return s.ask(s.f().get_curr_parallel_handle, nothing, &made);
    });
    demand("get_curr_parallel_handle: nowhere to", bad,
           ASK(s.f().get_curr_parallel_handle, s.thread(0), nothing));
    demand("get_enclosing_parallel_handle", "ok", [](Subject &s) -> std::string {
        return yes(s.same(s.enclosing(s.region(0)), s.region(2)), "not the outer region");
    });
    demand("get_enclosing_parallel_handle: end of the chain", end_of_chain,
           [](Subject &s) -> std::string {
               return end_of(s, s.f().get_enclosing_parallel_handle, s.region(), 3);
           });
    demand("get_enclosing_parallel_handle: no handle", no_handle, [](Subject &s) -> std::string {
        ompd_parallel_handle_t *made = nullptr;
        return s.ask(s.f().get_enclosing_parallel_handle, nothing, &made);
    });
    demand("get_enclosing_parallel_handle: nowhere to", bad,
           ASK(s.f().get_enclosing_parallel_handle, s.region(), nothing));
    demand("get_task_parallel_handle", "ok", [](Subject &s) -> std::string {
        ompd_parallel_handle_t *made = nullptr;
        s.need(s.f().get_task_parallel_handle, s.task(), &made);
        return yes(s.same(made, s.region()), "another region");
    });
    demand("get_task_parallel_handle: no handle", no_handle, [](Subject &s) -> std::string {
        ompd_parallel_handle_t *made = nullptr;
        return s.ask(s.f().get_task_parallel_handle, nothing, &made);
    });
    demand("get_task_parallel_handle: nowhere to", bad,
           ASK(s.f().get_task_parallel_handle, s.task(), nothing));
    demand("rel_parallel_handle", "ok", ASK(s.f().rel_parallel_handle, s.region()));
    demand("rel_parallel_handle: no handle", no_handle, ASK(s.f().rel_parallel_handle, nothing));
    demand("get_thread_in_parallel", "ok", [](Subject &s) -> std::string {
        for (int i = 0; i < SCENE_INNER; ++i) {
            ompd_thread_handle_t *made = nullptr;
            s.need(s.f().get_thread_in_parallel, s.region(), i, &made);
            if (!s.same(made, s.thread(i))) {
                return "another thread";
            }
        }
        return "ok";
    });
    demand("get_thread_in_parallel: the handle is whole", "ok", [](Subject &s) -> std::string {
        ompd_thread_handle_t *made = nullptr;
        ompd_parallel_handle_t *region = nullptr;
        s.need(s.f().get_thread_in_parallel, s.region(), 1, &made);
        return s.ask(s.f().get_curr_parallel_handle, made, &region);
    });
    demand("get_thread_in_parallel: before the first", bad,
           [](Subject &s) -> std::string { return ask_member(s, -1); });
    demand("get_thread_in_parallel: beyond the last", bad,
           [](Subject &s) -> std::string { return ask_member(s, SCENE_INNER); });
    demand("get_thread_in_parallel: no handle", no_handle, [](Subject &s) -> std::string {
        ompd_thread_handle_t *made = nullptr;
        return s.ask(s.f().get_thread_in_parallel, nothing, 0, &made);
    });
    demand("get_thread_in_parallel: nowhere to", bad,
           ASK(s.f().get_thread_in_parallel, s.region(), 0, nothing));
}

void demand_of_tasks() {
    demand("get_curr_task_handle: no handle", no_handle, [](Subject &s) -> std::string {
        ompd_task_handle_t *made = nullptr;
        return s.ask(s.f().get_curr_task_handle, nothing, &made);
    });
    demand("get_curr_task_handle: nowhere to", bad,
           ASK(s.f().get_curr_task_handle, s.thread(0), nothing));
    demand("get_generating_task_handle", "ok", [](Subject &s) -> std::string {
        ompd_task_handle_t *own = nullptr;
        s.need(s.f().get_task_in_parallel, s.region(), 0, &own);
        return yes(s.same(s.generating(s.task()), own), "not the implicit task");
    });
    demand("get_generating_task_handle: end of the chain", end_of_chain,
           [](Subject &s) -> std::string {
               return end_of(s, s.f().get_generating_task_handle, s.task(), 4);
           });
    demand("get_generating_task_handle: no handle", no_handle, [](Subject &s) -> std::string {
        ompd_task_handle_t *made = nullptr;
        return s.ask(s.f().get_generating_task_handle, nothing, &made);
    });
    demand("get_generating_task_handle: nowhere to", bad,
           ASK(s.f().get_generating_task_handle, s.task(), nothing));
    demand("get_scheduling_task_handle", "ok", [](Subject &s) -> std::string {
        ompd_task_handle_t *made = nullptr;
        s.need(s.f().get_scheduling_task_handle, s.task(), &made);
        return yes(s.same(made, s.generating(s.task())), "another task");
    });
    demand("get_scheduling_task_handle: of an implicit task", end_of_chain,
           [](Subject &s) -> std::string {
               ompd_task_handle_t *made = nullptr;
               return s.ask(s.f().get_scheduling_task_handle, s.task(1), &made);
           });
    demand("get_scheduling_task_handle: no handle", no_handle, [](Subject &s) -> std::string {
        ompd_task_handle_t *made = nullptr;
        return s.ask(s.f().get_scheduling_task_handle, nothing, &made);
    });
    demand("get_scheduling_task_handle: nowhere to", bad,
           ASK(s.f().get_scheduling_task_handle, s.task(), nothing));
    demand("get_task_in_parallel", "ok", [](Subject &s) -> std::string {
        ompd_task_handle_t *made = nullptr;
        s.need(s.f().get_task_in_parallel, s.region(), 1, &made);
        return yes(s.same(made, s.task(1)), "another task");
    });
    demand("get_task_in_parallel: before the first", bad,
           [](Subject &s) -> std::string { return ask_implicit(s, -1); });
    demand("get_task_in_parallel: beyond the last", bad,
           [](Subject &s) -> std::string { return ask_implicit(s, SCENE_INNER); });
    demand("get_task_in_parallel: no handle", no_handle, [](Subject &s) -> std::string {
        ompd_task_handle_t *made = nullptr;
        return s.ask(s.f().get_task_in_parallel, nothing, 0, &made);
    });
    demand("get_task_in_parallel: nowhere to", bad,
           ASK(s.f().get_task_in_parallel, s.region(), 0, nothing));
    demand("rel_task_handle", "ok", ASK(s.f().rel_task_handle, s.task()));
    demand("rel_task_handle: no handle", no_handle, ASK(s.f().rel_task_handle, nothing));
    demand("get_task_function", "ok", [](Subject &s) -> std::string {
        ompd_address_t entry{ompd_segment_none, 0};
        s.need(s.f().get_task_function, s.task(), &entry);
        return yes(entry.address != 0 && entry.segment == ompd_segment_none, "no address");
    });
    demand("get_task_function: no handle", no_handle, [](Subject &s) -> std::string {
        ompd_address_t entry{};
        return s.ask(s.f().get_task_function, nothing, &entry);
    });
    demand("get_task_function: nowhere to", bad, ASK(s.f().get_task_function, s.task(), nothing));
    demand("get_task_frame", "ok", [](Subject &s) -> std::string {
        ompd_frame_info_t exit{{99, 99}, 99};
        ompd_frame_info_t enter{{99, 99}, 99};
        s.need(s.f().get_task_frame, s.task(), &exit, &enter);
        // ompt_frame_flag_t: runtime or application, and which address of the frame.
        const bool flags = (exit.frame_flag & ~0x31) == 0 && (exit.frame_flag & 0x30) != 0;
        return exit.frame_address.address == 0 ? "no frame" : yes(flags, "no flags");
    });
    demand("get_task_frame: no handle", no_handle, [](Subject &s) -> std::string {
        ompd_frame_info_t exit{};
        ompd_frame_info_t enter{};
        return s.ask(s.f().get_task_frame, nothing, &exit, &enter);
    });
    demand("get_task_frame: nowhere to", bad,
           ASK(s.f().get_task_frame, s.task(), nothing, nothing));
}

}  // namespace gdb_ompd
