// SPDX-License-Identifier: Apache-2.0
#include "recovery/gnu_tasks.hpp"

#include "base/target.hpp"
#include "code/function_values.hpp"

#include <algorithm>
#include <array>
#include <set>

namespace gdb_ompd::recovery {

namespace {

using code::FunctionCode;

constexpr std::size_t farthest_join = 16;  // instructions from a call to where another's are
// Execute a task at once, or keep it.
constexpr std::array task_makers{"GOMP_task", "GOMP_taskloop", "GOMP_taskloop_ull"};
// Executes tasks that were kept, as other functions do, which are not exported.
constexpr const char *task_waiter = "GOMP_taskwait";

class TaskCallFinder {
public:
    explicit TaskCallFinder(const GnuCode &code) : code_(code) {}

    GnuTaskCalls find() {
        std::vector<FunctionCode> functions;
        const auto waiter = code_.exported(task_waiter);
        const auto field = waiter ? field_of_function(*waiter) : std::nullopt;
        if (!field) {
            return {{}, "where a task's function is kept was not found"};
        }
        std::map<std::uint64_t, Call> calls;
        std::set<std::uint64_t> makers;
        for (const char *const each : task_makers) {
            auto maker = code_.exported(each);
            if (!maker || !add_calls_at_once(*maker, calls)) {
                return {{}, std::string(each) + " does not call a task's function as expected"};
            }
            makers.insert(maker->start());
            functions.push_back(*std::move(maker));
        }
        for (const code::Range &range : code_.image().functions()) {
            auto function = makers.contains(range.start) ? std::nullopt : code_.code_of(range);
            if (function && add_kept_calls(*function, *field, calls)) {
                functions.push_back(*std::move(function));
            }
        }
        if (!join_ends(functions, calls)) {
            return {{}, "the ends of tasks are not told apart"};
        }
        return {std::move(calls), {}};
    }

private:
    // The offset of the function in the record of a task, with its argument behind it.
    [[nodiscard]] std::optional<std::int64_t> kept_call(const FunctionCode &function,
                                                        std::size_t index) const {
        const code::Instruction &call = function.at(index);
        if (!is_indirect_call(call)) {
            return std::nullopt;
        }
        const Window window(function, index);
        const code::Instruction *const argument = window.writer(code_.convention().arguments[0]);
        const code::Instruction *const load = call.has_memory ? &call : window.writer(call.source);
        if (!is_plain_load(argument) || (!call.has_memory && !is_plain_load(load)) ||
            load->memory.base != argument->memory.base) {
            return std::nullopt;
        }
        const auto place =
            call.has_memory ? load->memory.displacement : loaded_from(*load, call.source);
        const bool is_behind =
            loaded_from(*argument, code_.convention().arguments[0]) - place == pointer_size;
        return is_behind ? std::optional(place) : std::nullopt;
    }

    [[nodiscard]] std::optional<std::int64_t>
    field_of_function(const FunctionCode &function) const {
        std::set<std::int64_t> found;
        for (std::size_t index = 0; index < function.instructions().size(); ++index) {
            if (const auto offset = kept_call(function, index)) {
                found.insert(*offset);
            }
        }
        return found.size() == 1 ? std::optional(*found.begin()) : std::nullopt;
    }

    // The calls of the functions of tasks that were kept; tells whether there are any.
    bool add_kept_calls(const FunctionCode &function, std::int64_t field,
                        std::map<std::uint64_t, Call> &calls) const {
        bool any = false;
        for (std::size_t index = 0; index < function.instructions().size(); ++index) {
            if (kept_call(function, index) == field) {
                Call call = code_.call_at(function, index);
                call.of_kept = call.later.offset.has_value();
                calls[call.end] = call;
                any = true;
            }
        }
        return any;
    }

    // Whether a call is one of the copy constructor of what a task captures: the third argument of
    // what makes the task, whose first is the task's function. That is called with one argument.
    [[nodiscard]] bool copies(const FunctionCode &function, code::FunctionValues &values,
                              std::size_t index) const {
        const code::Instruction &call = function.at(index);
        const auto &arguments = code_.convention().arguments;
        if (!call.has_memory) {
            for (const std::size_t number : {0U, 2U}) {
                if (is_argument(function, values, index, arguments[number])) {
                    return number != 0;
                }
            }
        }
        return call.source != arguments[1] && is_written_before(function, index, arguments[1]);
    }

    // Whether what is called is that argument of the function, or loaded from where it was kept.
    static bool is_argument(const FunctionCode &function, code::FunctionValues &values,
                            std::size_t index, code::Register argument) {
        const auto held = [&](std::size_t at, code::Register number) {
            return values.before(at).held.at(number);
        };
        const code::Term kept = code::Terms::at_entry(argument);
        const code::Term called = held(index, function.at(index).source);
        const code::Node node = values.node(called.base);
        if (called == kept || node.kind != code::Node::Kind::load || called.offset != 0) {
            return called == kept;
        }
        const code::Memory &place = function.at(node.at).memory;
        for (std::size_t at = 0; at < function.instructions().size(); ++at) {
            const code::Instruction &one = function.at(at);
            if (one.operation == code::Operation::store && one.memory.base == place.base &&
                one.memory.displacement == place.displacement &&
                one.source < code::first_vector_register && held(at, one.source) == kept) {
                return true;
            }
        }
        return false;
    }

    // On the only way to an instruction, behind the last call there.
    static bool is_written_before(const FunctionCode &function, std::size_t index,
                                  code::Register number) {
        for (auto at = function.only_before(index); at; at = function.only_before(*at)) {
            if (function.at(*at).is_call()) {
                return false;
            }
            if ((function.at(*at).writes & code::bit_of(number)) != 0) {
                return true;
            }
        }
        return false;
    }

    // The calls of a task's function by the one that makes the task.
    [[nodiscard]] bool add_calls_at_once(const FunctionCode &function,
                                         std::map<std::uint64_t, Call> &calls) const {
        code::FunctionValues values(function, code_.architecture());
        std::size_t bodies = 0;
        std::size_t copiers = 0;
        for (std::size_t index = 0; index < function.instructions().size(); ++index) {
            if (!is_indirect_call(function.at(index))) {
                continue;
            }
            if (copies(function, values, index)) {
                ++copiers;
                continue;
            }
            ++bodies;
            const Call call = code_.call_at(function, index);
            calls[call.end] = call;
        }
        return bodies > 0 && bodies <= 2 && copiers > 0 && copiers <= 2;
    }

    // Behind two calls the compiler may have the same code once: the end of the first is then
    // where both have come to. Nothing else may lead there.
    static bool join_ends(const std::vector<FunctionCode> &functions,
                          std::map<std::uint64_t, Call> &calls) {
        for (const FunctionCode &function : functions) {
            std::set<std::size_t> joining;  // jumps from behind calls to behind others
            for (auto &[end, call] : calls) {
                const auto index = function.index_of(end);
                const auto jump = index ? jump_to_end(function, *index, calls) : std::nullopt;
                if (!jump) {
                    continue;
                }
                joining.insert(*jump);
                Call &other = calls.at(function.at(*jump).target);
                if (other.end == 0 || other.of_kept) {
                    return false;
                }
                if (!(other.later == call.later)) {
                    other.later = {};  // which of them has returned is not known there
                }
                call.end = 0;
            }
            for (const auto &[end, call] : calls) {
                const auto index = function.index_of(end);
                const auto sources = index && !call.of_kept ? function.jumps_to(*index)
                                                            : std::span<const std::size_t>();
                if (!std::ranges::all_of(sources,
                                         [&](std::size_t one) { return joining.contains(one); })) {
                    return false;
                }
            }
        }
        return true;
    }

    // The jump by which the code from INDEX on goes to behind another call.
    static std::optional<std::size_t> jump_to_end(const FunctionCode &function, std::size_t index,
                                                  const std::map<std::uint64_t, Call> &calls) {
        for (std::size_t steps = 0; steps < farthest_join; ++steps, ++index) {
            if (index >= function.instructions().size()) {
                return std::nullopt;
            }
            const code::Instruction &one = function.at(index);
            if (one.operation == code::Operation::jump) {
                return calls.contains(one.target) ? std::optional(index) : std::nullopt;
            }
            if (one.is_call() || one.is_jump() || one.ends_flow()) {
                return std::nullopt;
            }
        }
        return std::nullopt;
    }

    const GnuCode &code_;
};

}  // namespace

GnuTaskCalls gnu_task_calls(const GnuCode &code) { return TaskCallFinder(code).find(); }

}  // namespace gdb_ompd::recovery
