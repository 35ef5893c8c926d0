// SPDX-License-Identifier: Apache-2.0
// An OMPD library on the process that this is in, and what is demanded of it.
#pragma once

#include "base/errors.hpp"
#include "base/memory_blocks.hpp"
#include "elf/address_space.hpp"
#include "memory_target.hpp"
#include "ompd/callbacks.hpp"
#include "ompd/library.hpp"
#include "scene.h"

#include <dlfcn.h>
#include <link.h>

#include <array>
#include <cstdio>
#include <cstring>
#include <functional>
#include <map>
#include <set>

namespace gdb_ompd {

// This process

inline const scene_thread *threads = nullptr;

class OwnProcess final : public SelfTarget {
public:
    std::optional<TargetAddr> thread_pointer(ompd_thread_id_t kind, std::uint64_t id) override {
        for (const scene_thread &thread : std::span(threads, SCENE_THREADS)) {
            const auto lwp = static_cast<std::uint64_t>(thread.lwp);
            if (id == (kind == ompd_thread_id_pthread ? thread.pthread : lwp)) {
                return TargetAddr{thread.pthread};  // as on x86-64
            }
        }
        return std::nullopt;
    }
};

inline Modules own_modules() {
    Modules modules;
    dl_iterate_phdr(
        [](dl_phdr_info *object, std::size_t, void *data) {
            const bool program = *object->dlpi_name == '\0';
            const std::string path = program ? "/proc/self/exe" : object->dlpi_name;
            if (program || path.find(".so") != std::string::npos) {
                try {
                    static_cast<Modules *>(data)->push_back(std::make_shared<Module>(
                        Module{std::make_shared<ElfImage>(path, std::nullopt, ""),
                               object->dlpi_addr, path, object->dlpi_tls_modid, std::nullopt}));
                } catch (const std::exception &) {
                    return 0;  // the kernel's, which has no file
                }
            }
            return 0;
        },
        &modules);
    return modules;
}

// Outcomes

struct CannotAsk {
    std::string outcome;
};

inline std::string outcome_of(const Outcome &outcome) {
    if (outcome.failure == nullptr) {
        return code_name(outcome.code).substr(std::string("ompd_rc_").size());
    }
    try {
        std::rethrow_exception(outcome.failure);
    } catch (const LibraryFailure &failure) {
        const std::string text = failure.what();
        for (const char *kind : {"crashed", "threw", "wrote beyond", "did not return"}) {
            if (text.find(kind) != std::string::npos) {
                return kind;
            }
        }
        return text;
    } catch (const std::exception &exception) {
        return std::string("reads what is not there: ") + exception.what();
    }
}

// The library on this process

class Subject {
public:
    explicit Subject(const std::string &path)
        : library(path), space(std::make_shared<OwnProcess>(), Layout{}, 4096) {
        space.set_modules(own_modules(), std::nullopt);
    }

    template <class... Parameters, class... Arguments>
    [[nodiscard]] Outcome call(const Function<ompd_rc_t(Parameters...)> &function,
                               Arguments... arguments) {
        return library.call(function, &space, static_cast<Parameters>(arguments)...);
    }
    // How the call ends.
    template <class... Parameters, class... Arguments>
    [[nodiscard]] std::string ask(const Function<ompd_rc_t(Parameters...)> &function,
                                  Arguments... arguments) {
        return outcome_of(call(function, arguments...));
    }
    // The call without which the check makes no sense.
    template <class... Parameters, class... Arguments>
    void need(const Function<ompd_rc_t(Parameters...)> &function, Arguments... arguments) {
        const std::string outcome = ask(function, arguments...);
        if (outcome != "ok") {
            throw CannotAsk{std::string(function.name) + ": " + outcome};
        }
    }

    [[nodiscard]] const Functions &f() const { return library.functions(); }

    ompd_address_space_handle_t *process() {
        if (process_ == nullptr) {
            need(f().process_initialize, space.context(), &process_);
        }
        return process_;
    }
    ompd_thread_handle_t *thread(int place) {
        ompd_thread_handle_t *made = nullptr;
        need(f().get_thread_handle, process(), ompd_thread_id_pthread, ompd_size_t{8},
             &threads[place].pthread, &made);
        return made;
    }
    ompd_parallel_handle_t *region(int place = 0) {
        ompd_parallel_handle_t *made = nullptr;
        need(f().get_curr_parallel_handle, thread(place), &made);
        return made;
    }
    ompd_parallel_handle_t *enclosing(ompd_parallel_handle_t *of) {
        ompd_parallel_handle_t *made = nullptr;
        need(f().get_enclosing_parallel_handle, of, &made);
        return made;
    }
    ompd_task_handle_t *task(int place = 0) {
        ompd_task_handle_t *made = nullptr;
        need(f().get_curr_task_handle, thread(place), &made);
        return made;
    }
    ompd_task_handle_t *generating(ompd_task_handle_t *of) {
        ompd_task_handle_t *made = nullptr;
        need(f().get_generating_task_handle, of, &made);
        return made;
    }
    template <class H>
    int order(const Function<ompd_rc_t(H *, H *, int *)> &function, H *one, H *other) {
        int found = 77;
        need(function, one, other, &found);
        return found < 0 ? -1 : found > 0 ? 1 : 0;
    }
    bool same(ompd_parallel_handle_t *one, ompd_parallel_handle_t *other) {
        return order(f().parallel_handle_compare, one, other) == 0;
    }
    bool same(ompd_task_handle_t *one, ompd_task_handle_t *other) {
        return order(f().task_handle_compare, one, other) == 0;
    }
    bool same(ompd_thread_handle_t *one, ompd_thread_handle_t *other) {
        return order(f().thread_handle_compare, one, other) == 0;
    }

    Library library;
    AddressSpace space;

private:
    ompd_address_space_handle_t *process_ = nullptr;
};

using Check = std::function<std::string(Subject &)>;
struct NamedCheck {
    std::string name;
    std::string demanded;
    Check check;
};
inline std::vector<NamedCheck> checks;

inline void demand(std::string name, std::string demanded, Check check) {
    checks.push_back({std::move(name), std::move(demanded), std::move(check)});
}

// Every function's arguments. A handle that is none is stale or bad input; any other
// argument that is none is bad input.
constexpr const char *no_handle = "stale_handle|bad_input";
constexpr const char *bad = "bad_input";
constexpr const char *end_of_chain = "unavailable";
// What OMPD lets a library say of what it cannot.
constexpr const char *not_given = "unavailable|unsupported";

inline std::string yes(bool fact, const char *otherwise) { return fact ? "ok" : otherwise; }

#define ASK(...) [](Subject &s) -> std::string { return s.ask(__VA_ARGS__); }

constexpr auto nothing = nullptr;

void demand_of_the_library();
void demand_of_the_process();
void demand_of_threads();
void demand_of_orders();
void demand_of_regions();
void demand_of_tasks();
void demand_of_enumerations();
void demand_of_icvs();
void demand_of_tool_data();
void demand_of_memory_and_output();

}  // namespace gdb_ompd
