// SPDX-License-Identifier: Apache-2.0
#include "recovery/gnu_events.hpp"

#include "recovery/gnu_code.hpp"
#include "recovery/gnu_tasks.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <string_view>

namespace gdb_ompd::recovery {

namespace {

using code::FunctionCode;

// Each calls the body in the thread that met the construct; those that there are in a
// version of the library. Code of GCC before 4.9 calls bodies by itself, between
// GOMP_parallel_start and GOMP_parallel_end.
constexpr std::array region_functions{
    gnu_entry,
    "GOMP_parallel_loop_static",
    "GOMP_parallel_loop_dynamic",
    "GOMP_parallel_loop_guided",
    "GOMP_parallel_loop_runtime",
    "GOMP_parallel_loop_nonmonotonic_dynamic",
    "GOMP_parallel_loop_nonmonotonic_guided",
    "GOMP_parallel_loop_nonmonotonic_runtime",
    "GOMP_parallel_loop_maybe_nonmonotonic_runtime",
    "GOMP_parallel_sections",
    "GOMP_parallel_reductions",
};
constexpr const char *teams_function = "GOMP_teams_reg";
// For a device; the older one is what code of GCC 4.9 calls.
constexpr const char *target_function = "GOMP_target_ext";
constexpr const char *older_target_function = "GOMP_target";
constexpr const char *region_begin = "ompd_bp_parallel_begin";
constexpr const char *region_end = "ompd_bp_parallel_end";
constexpr const char *task_begin = "ompd_bp_task_begin";
constexpr const char *task_end = "ompd_bp_task_end";
constexpr const char *thread_begin = "ompd_bp_thread_begin";
constexpr const char *thread_end = "ompd_bp_thread_end";
constexpr const char *target_begin = "ompd_bp_target_begin";
constexpr const char *target_end = "ompd_bp_target_end";

std::set<std::uint64_t> called_by(const FunctionCode &function) {
    std::set<std::uint64_t> found;
    for (const code::Instruction &one : function.instructions()) {
        if (one.target != 0 && (one.is_call() || one.operation == code::Operation::jump)) {
            found.insert(one.target);
        }
    }
    return found;
}

class GnuEventFinder {
public:
    GnuEventFinder(const code::Image &image, const code::Architecture &architecture)
        : code_(image, architecture) {}

    GnuEvents find() {
        find_regions();
        if (events_.reasons.empty()) {
            find_teams();
            find_targets();
            find_tasks();
            find_threads();
        } else {
            events_.symbols.clear();  // some regions would go unnoticed
        }
        return std::move(events_);
    }

private:
    void refuse(std::string reason) { events_.reasons.push_back(std::move(reason)); }

    void name(const char *event, std::uint64_t address) {
        events_.symbols.push_back({event, address, 1, SymbolKind::label, SymbolSource::recovered});
    }

    void tell(std::uint64_t address, const char *what, std::uint64_t value) {
        events_.places[gnu_place(address, what)] = value;
    }

    void tell(std::uint64_t address, const Holder &holder) {
        if (holder.number != code::no_register) {
            tell(address, "register", holder.number);
            if (holder.offset) {
                tell(address, "offset", static_cast<std::uint64_t>(*holder.offset));
            }
        }
    }

    // All of them begin a team by the same function, and then call the body.
    void find_regions() {
        std::set<std::uint64_t> seen;
        std::set<std::uint64_t> beginners;
        for (const char *const each : region_functions) {
            const auto start = code_.image().exported(each);
            if (!start || !seen.insert(*start).second) {
                continue;
            }
            const auto function = code_.function_at(*start);
            const auto index = function ? only_call(*function) : std::nullopt;
            const auto after = index ? *index + 1 : 0;
            const auto team = index ? direct_call_before(*function, *index) : std::nullopt;
            if (!team || after >= function->instructions().size() ||
                !function->jumps_to(after).empty()) {
                refuse(std::string(each) + " does not call a region's body as expected");
                continue;
            }
            beginners.insert(*team);
            const Call call = code_.call_at(*function, *index);
            name_call(region_begin, region_end, call);
        }
        if (beginners.size() == 1) {
            team_start_ = *beginners.begin();
        } else {
            refuse("the functions that begin a team: " + std::to_string(beginners.size()));
        }
    }

    // A league on the host: its teams are executed one after another.
    void find_teams() {
        const auto function = code_.exported(teams_function);
        const auto index = function ? only_call(*function) : std::nullopt;
        if (!index || !function->jumps_to(*index + 1).empty()) {
            return;
        }
        const Call call = code_.call_at(*function, *index);
        const std::uint64_t begin = unmoved_begin(*function);
        name(region_begin, begin);
        tell(begin, "league", 1);
        tell(begin, Holder{code_.convention().arguments[0], std::nullopt});
        for (const code::Instruction &one : function->instructions()) {
            if (one.operation == code::Operation::give_back) {
                name(region_end, one.address);
                tell(one.address, "league", 1);
            }
        }
        name_call(region_begin, region_end, call);
        tell(call.begin, "team", 1);
        tell(call.end, "team", 1);
    }

    // A debugger moves a breakpoint from what saves the address that a function returns to, up to
    // the first jump. The argument is known as long as its register is not used again.
    [[nodiscard]] std::uint64_t unmoved_begin(const FunctionCode &function) const {
        const std::uint64_t argument = code::bit_of(code_.convention().arguments[0]);
        const bool is_moved = code_.convention().pushed_by_call == 0;
        for (const code::Instruction &one : function.instructions()) {
            if (one.is_jump() && is_moved) {
                return one.address;
            }
            if (one.is_call() || (one.writes & argument) != 0) {
                break;
            }
        }
        return function.start();
    }

    // A target construct begins where the user's code calls the library for it, and ends where that
    // returns. On the host its body is called by what both functions for such call; a task that
    // nobody waits for comes there alone.
    void find_targets() {
        const auto function = code_.exported(target_function);
        const auto older = code_.exported(older_target_function);
        if (!function || !older) {
            return;
        }
        std::vector<Call> hosts;
        const std::set<std::uint64_t> others = called_by(*older);
        for (const std::uint64_t each : called_by(*function)) {
            const auto called = others.contains(each) ? code_.function_at(each) : std::nullopt;
            const auto index = called ? only_call(*called) : std::nullopt;
            if (index && !called->at(*index).has_memory) {  // a device's is in its record
                hosts.push_back(code_.call_at(*called, *index));
            }
        }
        if (hosts.size() != 1) {
            return;
        }
        name_call(target_begin, target_end, hosts.front());
        // A debugger moves a breakpoint that is at a function's first instructions.
        const auto body = std::ranges::find_if(function->instructions(), [](const auto &one) {
            return one.operation != code::Operation::nothing &&
                   one.operation != code::Operation::push;
        });
        name(target_begin, body->address);
        tell(body->address, Holder{code_.convention().arguments[1], std::nullopt});
        events_.places[gnu_target_begin] = function->start();
        events_.places[gnu_target_end] = function->end();
        for (const code::Instruction &one : function->instructions()) {
            if (one.operation == code::Operation::give_back) {
                name(target_end, one.address);
            }
        }
    }

    void name_call(const char *begin, const char *end, const Call &call) {
        name(begin, call.begin);
        name(end, call.end);
        tell(call.begin, call.now);
        tell(call.end, call.later);
    }

    void find_tasks() {
        GnuTaskCalls found = gnu_task_calls(code_);
        if (found.problem.empty()) {
            name_tasks(found.calls);
        } else {
            refuse(std::move(found.problem));
        }
    }

    void name_tasks(const std::map<std::uint64_t, Call> &calls) {
        for (const auto &[_, call] : calls) {
            name(task_begin, call.begin);
            tell(call.begin, call.now);
            if (call.end != 0) {
                name(task_end, call.end);
                tell(call.end, call.later);
            }
        }
    }

    // A team's new threads begin with the function that is given to pthread_create. One that
    // worked in a nested region detaches itself at its end; the others are sent to
    // pthread_exit.
    void find_threads() {
        const auto function = code_.function_at(team_start_);
        std::set<std::uint64_t> beginners;
        for (std::size_t index = 0; function && index < function->instructions().size(); ++index) {
            const auto named = function->named_address(index);
            if (named && code_.is_function(*named)) {
                beginners.insert(*named);
            }
        }
        if (beginners.size() != 1) {
            refuse("the functions that threads begin with: " + std::to_string(beginners.size()));
            return;
        }
        std::set<std::uint64_t> ends = code_.calls_of("pthread_exit", {0, ~std::uint64_t{0}});
        const auto worker = code_.function_at(*beginners.begin());
        const auto nested = worker
                                ? code_.calls_of("pthread_detach", {worker->start(), worker->end()})
                                : std::set<std::uint64_t>();
        if (nested.empty() || ends.empty()) {
            refuse("where threads end was not found");
            return;
        }
        ends.insert(nested.begin(), nested.end());
        name(thread_begin, *beginners.begin());
        for (const std::uint64_t each : ends) {
            name(thread_end, each);
        }
    }

    GnuCode code_;
    std::uint64_t team_start_ = 0;
    GnuEvents events_;
};

}  // namespace

std::string gnu_place(std::uint64_t address, std::string_view what) {
    constexpr std::string_view digits = "0123456789abcdef";
    std::string text;
    for (; address != 0; address >>= 4U) {
        text.insert(text.begin(), digits[address & 0xfU]);
    }
    return text + "." + std::string(what);
}

GnuEvents gnu_events(const code::Image &image, const code::Architecture &architecture) {
    return GnuEventFinder(image, architecture).find();
}

}  // namespace gdb_ompd::recovery
