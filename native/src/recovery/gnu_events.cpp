// SPDX-License-Identifier: Apache-2.0
#include "recovery/gnu_events.hpp"

#include "code/function_code.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <string_view>

namespace gdb_ompd::recovery {

namespace {

using code::FunctionCode;

constexpr std::uint64_t word = 8;
constexpr std::size_t farthest_join = 16;  // instructions from a call to where another's are

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
// Execute a task at once, or keep it.
constexpr std::array task_makers{"GOMP_task", "GOMP_taskloop", "GOMP_taskloop_ull"};
// Executes tasks that were kept, as other functions do, which are not exported.
constexpr const char *task_waiter = "GOMP_taskwait";

constexpr const char *region_begin = "ompd_bp_parallel_begin";
constexpr const char *region_end = "ompd_bp_parallel_end";
constexpr const char *task_begin = "ompd_bp_task_begin";
constexpr const char *task_end = "ompd_bp_task_end";
constexpr const char *thread_begin = "ompd_bp_thread_begin";
constexpr const char *thread_end = "ompd_bp_thread_end";

// Where an outlined function is at its call: in a register, or in memory.
struct Holder {
    Register number = no_register;
    std::optional<std::int64_t> offset;  // from the register, where it is in memory

    bool operator==(const Holder &) const = default;
};

// A call of an outlined function.
struct Call {
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
    Holder now;    // where the function is before the call
    Holder later;  // behind it; nowhere if that is not known
    // The function is read from a task's record. A task without one, for a device, comes to
    // behind the call, too, and has no function there.
    bool of_kept = false;
};

// Instructions before a call, back to the last place where others may come from.
class Window {
public:
    Window(const FunctionCode &function, std::size_t call)
        : function_(function), call_(call), first_(call) {
        while (first_ > 0 && function.jumps_to(first_).empty()) {
            const Instruction &before = function.at(first_ - 1);
            if (before.is_call() || before.ends_flow()) {
                break;
            }
            --first_;
        }
    }

    // The last one that writes the register NUMBER, null where none does.
    [[nodiscard]] const Instruction *writer(Register number) const {
        for (std::size_t index = call_; index > first_; --index) {
            const Instruction &one = function_.at(index - 1);
            if ((one.writes & bit_of(number)) != 0) {
                return &one;
            }
        }
        return nullptr;
    }
    // Whether the register NUMBER is the same at the call as after the instruction WRITER.
    [[nodiscard]] bool keeps(Register number, const Instruction &writer) const {
        for (std::size_t index = call_; index > first_; --index) {
            const Instruction &one = function_.at(index - 1);
            if (&one == &writer) {
                return true;
            }
            if ((one.writes & bit_of(number)) != 0) {
                return false;
            }
        }
        return true;
    }

private:
    const FunctionCode &function_;
    std::size_t call_;
    std::size_t first_;
};

// A load of a whole word from memory at a register and an offset.
bool is_plain_load(const Instruction *one) {
    return one != nullptr && one->computation.arithmetic == Arithmetic::first &&
           one->computation.first.kind == Operand::Kind::memory && one->computation.width == word &&
           one->memory.base != no_register && one->memory.index == no_register &&
           !one->memory.thread_local_segment;
}

bool is_indirect_call(const Instruction &one) {
    return one.is_call() && one.target == 0 &&
           (one.has_memory ? one.memory.base != no_register && one.memory.index == no_register &&
                                 !one.memory.thread_local_segment
                           : one.source != no_register);
}

class GnuEventFinder {
public:
    GnuEventFinder(const Image &image, const Architecture &architecture)
        : image_(image), architecture_(architecture), convention_(architecture.convention()) {}

    GnuEvents find() {
        find_regions();
        if (events_.reasons.empty()) {
            find_teams();
            find_tasks();
            find_threads();
        } else {
            events_.symbols.clear();  // some regions would go unnoticed
        }
        return std::move(events_);
    }

private:
    [[nodiscard]] std::optional<FunctionCode> code_of(const Range &range) const {
        const auto bytes = image_.bytes(range.start, range.end - range.start);
        if (!bytes) {
            return std::nullopt;
        }
        std::vector<Instruction> instructions;
        architecture_.decode(*bytes, range.start, instructions);
        return FunctionCode(range.start, range.end, std::move(instructions));
    }

    [[nodiscard]] std::optional<FunctionCode> function_at(std::uint64_t start) const {
        for (const Range &range : image_.functions()) {
            if (range.start == start) {
                return code_of(range);
            }
        }
        return std::nullopt;
    }

    [[nodiscard]] std::optional<FunctionCode> exported(const char *name) const {
        const auto start = image_.exported(name);
        return start ? function_at(*start) : std::nullopt;
    }

    void refuse(std::string reason) { events_.reasons.push_back(std::move(reason)); }

    void name(const char *event, std::uint64_t address) {
        events_.symbols.push_back({event, address, 1, SymbolKind::label, SymbolSource::recovered});
    }

    void tell(std::uint64_t address, const char *what, std::uint64_t value) {
        events_.places[gnu_place(address, what)] = value;
    }

    void tell(std::uint64_t address, const Holder &holder) {
        if (holder.number != no_register) {
            tell(address, "register", holder.number);
            if (holder.offset) {
                tell(address, "offset", static_cast<std::uint64_t>(*holder.offset));
            }
        }
    }

    [[nodiscard]] bool is_kept(Register number) const {
        return (convention_.preserved_bits() & bit_of(number)) != 0;
    }

    [[nodiscard]] Call call_at(const FunctionCode &function, std::size_t index) const {
        const Instruction &call = function.at(index);
        Call found{call.address, call.end(), {}, {}};
        if (call.has_memory) {
            found.now = {call.memory.base, call.memory.displacement};
        } else {
            found.now = {call.source, std::nullopt};
        }
        if (is_kept(found.now.number)) {
            found.later = found.now;
        } else if (!call.has_memory) {
            const Window window(function, index);
            const Instruction *const load = window.writer(call.source);
            if (is_plain_load(load) && is_kept(load->memory.base) &&
                window.keeps(load->memory.base, *load)) {
                found.later = {load->memory.base, load->memory.displacement};
            }
        }
        return found;
    }

    // The only call through a register or memory, none where there are more.
    [[nodiscard]] static std::optional<std::size_t> only_call(const FunctionCode &function) {
        std::optional<std::size_t> found;
        for (std::size_t index = 0; index < function.instructions().size(); ++index) {
            if (is_indirect_call(function.at(index))) {
                if (found) {
                    return std::nullopt;
                }
                found = index;
            }
        }
        return found;
    }

    // All of them begin a team by the same function, and then call the body.
    void find_regions() {
        std::set<std::uint64_t> seen;
        std::set<std::uint64_t> beginners;
        for (const char *const each : region_functions) {
            const auto start = image_.exported(each);
            if (!start || !seen.insert(*start).second) {
                continue;
            }
            const auto function = function_at(*start);
            const auto index = function ? only_call(*function) : std::nullopt;
            const auto after = index ? *index + 1 : 0;
            const auto team = index ? direct_call_before(*function, *index) : std::nullopt;
            if (!team || after >= function->instructions().size() ||
                !function->jumps_to(after).empty()) {
                refuse(std::string(each) + " does not call a region's body as expected");
                continue;
            }
            beginners.insert(*team);
            const Call call = call_at(*function, *index);
            name(region_begin, call.begin);
            name(region_end, call.end);
            tell(call.begin, call.now);
            tell(call.end, call.later);
        }
        if (beginners.size() == 1) {
            team_start_ = *beginners.begin();
        } else {
            refuse("the functions that begin a team: " + std::to_string(beginners.size()));
        }
    }

    [[nodiscard]] static std::optional<std::uint64_t>
    direct_call_before(const FunctionCode &function, std::size_t index) {
        while (index > 0 && function.jumps_to(index).empty()) {
            const Instruction &before = function.at(--index);
            if (before.ends_flow()) {
                return std::nullopt;
            }
            if (before.is_call()) {
                return before.target != 0 ? std::optional(before.target) : std::nullopt;
            }
        }
        return std::nullopt;
    }

    // A league on the host: its teams are executed one after another.
    void find_teams() {
        const auto function = exported(teams_function);
        const auto index = function ? only_call(*function) : std::nullopt;
        if (!index || !function->jumps_to(*index + 1).empty()) {
            return;
        }
        const Call call = call_at(*function, *index);
        name(region_begin, function->start());
        tell(function->start(), "league", 1);
        tell(function->start(), Holder{convention_.arguments[0], std::nullopt});
        for (const Instruction &one : function->instructions()) {
            if (one.operation == Operation::give_back) {
                name(region_end, one.address);
                tell(one.address, "league", 1);
            }
        }
        name(region_begin, call.begin);
        name(region_end, call.end);
        tell(call.begin, call.now);
        tell(call.end, call.later);
        tell(call.begin, "team", 1);
        tell(call.end, "team", 1);
    }

    void find_tasks() {
        std::map<std::uint64_t, Call> calls;  // by where they return to
        std::vector<FunctionCode> functions;
        const auto waiter = exported(task_waiter);
        const auto field = waiter ? field_of_function(*waiter) : std::nullopt;
        if (!field) {
            refuse("where a task's function is kept was not found");
            return;
        }
        std::set<std::uint64_t> makers;
        for (const char *const each : task_makers) {
            const auto maker = exported(each);
            if (!maker || !add_calls_at_once(*maker, calls)) {
                refuse(std::string(each) + " does not call a task's function as expected");
                return;
            }
            makers.insert(maker->start());
            functions.push_back(*maker);
        }
        for (const Range &range : image_.functions()) {
            auto function = makers.contains(range.start) ? std::nullopt : code_of(range);
            if (function && add_kept_calls(*function, *field, calls)) {
                functions.push_back(*std::move(function));
            }
        }
        if (join_ends(functions, calls)) {
            name_tasks(calls);
        } else {
            refuse("the ends of tasks are not told apart");
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

    // The offset of the function in the record of a task, with its argument behind it.
    [[nodiscard]] std::optional<std::int64_t> kept_call(const FunctionCode &function,
                                                        std::size_t index) const {
        const Instruction &call = function.at(index);
        if (!is_indirect_call(call)) {
            return std::nullopt;
        }
        const Window window(function, index);
        const Instruction *const argument = window.writer(convention_.arguments[0]);
        const Instruction *const load = call.has_memory ? &call : window.writer(call.source);
        if (!is_plain_load(argument) || (!call.has_memory && !is_plain_load(load)) ||
            load->memory.base != argument->memory.base ||
            argument->memory.displacement - load->memory.displacement != std::int64_t{word}) {
            return std::nullopt;
        }
        return load->memory.displacement;
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
                Call call = call_at(function, index);
                call.of_kept = call.later.offset.has_value();
                calls[call.end] = call;
                any = true;
            }
        }
        return any;
    }

    // The calls of a task's function by the one that makes the task. It calls another one,
    // too, with two arguments: a copy constructor of what the task captures.
    [[nodiscard]] bool add_calls_at_once(const FunctionCode &function,
                                         std::map<std::uint64_t, Call> &calls) const {
        std::size_t bodies = 0;
        std::size_t copies = 0;
        for (std::size_t index = 0; index < function.instructions().size(); ++index) {
            if (!is_indirect_call(function.at(index))) {
                continue;
            }
            if (Window(function, index).writer(convention_.arguments[1]) != nullptr) {
                ++copies;
                continue;
            }
            ++bodies;
            const Call call = call_at(function, index);
            calls[call.end] = call;
        }
        return bodies > 0 && bodies <= 2 && copies > 0 && copies <= 2;
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
            const Instruction &one = function.at(index);
            if (one.operation == Operation::jump) {
                return calls.contains(one.target) ? std::optional(index) : std::nullopt;
            }
            if (one.is_call() || one.is_jump() || one.ends_flow()) {
                return std::nullopt;
            }
        }
        return std::nullopt;
    }

    // A team's new threads begin with the function that is given to pthread_create. One that
    // worked in a nested region detaches itself at its end; the others are sent to
    // pthread_exit.
    void find_threads() {
        const auto function = function_at(team_start_);
        std::set<std::uint64_t> beginners;
        for (std::size_t index = 0; function && index < function->instructions().size(); ++index) {
            const Instruction &one = function->at(index);
            if (one.operation == Operation::address && one.memory.base == no_register &&
                is_function(static_cast<std::uint64_t>(one.memory.displacement))) {
                beginners.insert(static_cast<std::uint64_t>(one.memory.displacement));
            }
        }
        if (beginners.size() != 1) {
            refuse("the functions that threads begin with: " + std::to_string(beginners.size()));
            return;
        }
        std::set<std::uint64_t> ends = calls_of("pthread_exit", {0, ~std::uint64_t{0}});
        const auto worker = function_at(*beginners.begin());
        const auto nested = worker ? calls_of("pthread_detach", {worker->start(), worker->end()})
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

    [[nodiscard]] bool is_function(std::uint64_t address) const {
        return std::ranges::any_of(image_.functions(),
                                   [&](const Range &range) { return range.start == address; });
    }

    // Where code in RANGE calls or jumps to a function of another library's.
    [[nodiscard]] std::set<std::uint64_t> calls_of(const char *wanted, const Range &range) const {
        std::set<std::uint64_t> found;
        for (const Range &each : image_.functions()) {
            const auto function = range.holds(each.start) ? code_of(each) : std::nullopt;
            for (std::size_t index = 0; function && index < function->instructions().size();
                 ++index) {
                const Instruction &one = function->at(index);
                const bool leaves = one.is_call() || one.operation == Operation::jump;
                if (leaves && imported(one) == wanted && !is_stub(*function)) {
                    found.insert(one.address);
                }
            }
        }
        return found;
    }

    // A stub of the linkage table does nothing but jump on.
    [[nodiscard]] static bool is_stub(const FunctionCode &function) {
        return !function.instructions().empty() &&
               std::ranges::all_of(function.instructions(), [](const Instruction &one) {
                   return one.operation == Operation::nothing || one.operation == Operation::push ||
                          one.operation == Operation::jump;
               });
    }

    // The name of the imported function that an instruction goes to, also by a stub.
    [[nodiscard]] std::string imported(const Instruction &one) const {
        if (one.target == 0) {
            const bool is_slot =
                one.has_memory && one.memory.base == no_register && one.memory.index == no_register;
            return is_slot ? image_.import_at(static_cast<std::uint64_t>(one.memory.displacement))
                           : std::string();
        }
        constexpr std::uint64_t stub_size = 16;
        const auto bytes = image_.bytes(one.target, stub_size);
        std::vector<Instruction> stub;
        if (bytes) {
            architecture_.decode(*bytes, one.target, stub);
        }
        for (const Instruction &each : stub) {
            if (each.operation == Operation::jump && each.target == 0) {
                return imported(each);
            }
            if (each.operation != Operation::nothing) {
                break;
            }
        }
        return {};
    }

    const Image &image_;
    const Architecture &architecture_;
    CallingConvention convention_;
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

GnuEvents gnu_events(const Image &image, const Architecture &architecture) {
    return GnuEventFinder(image, architecture).find();
}

}  // namespace gdb_ompd::recovery
