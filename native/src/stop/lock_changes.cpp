// SPDX-License-Identifier: Apache-2.0
#include "stop/lock_changes.hpp"

#include "code/ahead.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <iterator>
#include <string_view>
#include <utility>

namespace gdb_ompd {

using code::EntryPoint;
using code::FunctionCode;
using code::Instruction;
using code::LockEffect;
using code::Operation;
using code::Owner;
using code::WaitKind;

namespace {

constexpr int most_calls = 6;                // of functions that call each other
constexpr std::size_t most_functions = 500;  // at one stop
constexpr std::size_t short_code = 8;        // instructions
constexpr std::uint64_t busy = 16;           // EBUSY
constexpr int most_followed = 200;           // calls, from one frame

// Which argument of pthread_create is a function.
constexpr int created_function = 2;

constexpr EntryPoint systems_call(std::string_view name, WaitKind kind, LockEffect effect) {
    return {.name = name, .kind = kind, .object = 0, .lock = effect};
}

// The C library's, which C++'s call, too.
constexpr std::array systems_calls{
    systems_call("pthread_mutex_lock", WaitKind::mutex, LockEffect::enters),
    systems_call("pthread_mutex_trylock", WaitKind::mutex, LockEffect::tries),
    systems_call("pthread_mutex_timedlock", WaitKind::mutex, LockEffect::tries),
    systems_call("pthread_mutex_clocklock", WaitKind::mutex, LockEffect::tries),
    systems_call("pthread_mutex_unlock", WaitKind::mutex, LockEffect::leaves),
    systems_call("sem_wait", WaitKind::semaphore, LockEffect::enters),
    systems_call("sem_trywait", WaitKind::semaphore, LockEffect::tries),
    systems_call("sem_timedwait", WaitKind::semaphore, LockEffect::tries),
    systems_call("sem_clockwait", WaitKind::semaphore, LockEffect::tries),
    systems_call("sem_post", WaitKind::semaphore, LockEffect::leaves),
    systems_call("pthread_rwlock_rdlock", WaitKind::rwlock, LockEffect::enters),
    systems_call("pthread_rwlock_tryrdlock", WaitKind::rwlock, LockEffect::tries),
    systems_call("pthread_rwlock_timedrdlock", WaitKind::rwlock, LockEffect::tries),
    systems_call("pthread_rwlock_clockrdlock", WaitKind::rwlock, LockEffect::tries),
    systems_call("pthread_rwlock_wrlock", WaitKind::rwlock, LockEffect::enters),
    systems_call("pthread_rwlock_trywrlock", WaitKind::rwlock, LockEffect::tries),
    systems_call("pthread_rwlock_timedwrlock", WaitKind::rwlock, LockEffect::tries),
    systems_call("pthread_rwlock_clockwrlock", WaitKind::rwlock, LockEffect::tries),
    systems_call("pthread_rwlock_unlock", WaitKind::rwlock, LockEffect::leaves),
    systems_call("pthread_spin_lock", WaitKind::spin_lock, LockEffect::enters),
    systems_call("pthread_spin_trylock", WaitKind::spin_lock, LockEffect::tries),
    // On x86-64 the C library has one code for the two.
    systems_call("pthread_spin_init", WaitKind::spin_lock, LockEffect::leaves),
    systems_call("pthread_spin_unlock", WaitKind::spin_lock, LockEffect::leaves)};

// What a function that has returned was called with, where that is not known, and its stack, are
// at addresses that nothing has.
constexpr std::uint64_t first_made_up = 0x4100000000000000;
constexpr std::uint64_t made_up_bits = 0xff00000000000000;
constexpr unsigned apart = 40;  // bits

bool is_made_up(std::uint64_t address) {
    return (address & made_up_bits) == (first_made_up & made_up_bits);
}

std::uint64_t made_up(code::Register name, int depth) {
    const auto number = static_cast<std::uint64_t>(depth) * code::register_count + name + 1;
    return first_made_up + (number << apart);
}

// The calls of a function and the jumps out of it, or to where it is not known, in their order.
std::vector<std::size_t> calls_of(const FunctionCode &code) {
    std::vector<std::size_t> found = code.leaving();
    for (std::size_t index = 0; index < code.instructions().size(); ++index) {
        if (code.at(index).is_call() || code.goes_anywhere(index)) {
            found.push_back(index);
        }
    }
    std::ranges::sort(found);
    return found;
}

bool has_effect(const EntryPoint *entry) {
    return entry != nullptr && entry->lock != LockEffect::none;
}

LockChange any_at(std::size_t index) {
    LockChange change;
    change.index = index;
    return change;
}

// Which of the locks that are taken something here may let go.
void note_left(LockChanges &changes) {
    for (LockChange &one : changes) {
        one.is_left = std::ranges::any_of(
            changes, [&](const LockChange &other) { return !other.enters && other.may_be(one); });
    }
}

}  // namespace

const EntryPoint *lock_call(std::string_view name) {
    const auto *const found = std::ranges::find(systems_calls, name, &EntryPoint::name);
    return found == systems_calls.end() ? code::entry_point(name) : found;
}

bool is_of_semaphore(std::string_view name) {
    const EntryPoint *const found = lock_call(name);
    return found != nullptr && found->kind == WaitKind::semaphore;
}

LockChanges LockCalls::changes(const FunctionCode &code, const code::Frame &frame,
                               std::size_t here) {
    code::Evaluation values = calls_.in_frame(code, here, frame);
    return of_function(code, values);
}

LockChanges LockCalls::changes(const FunctionCode &code) {
    code::Evaluation values = values_of(code);
    return of_function(code, values);
}

code::Evaluation LockCalls::values_of(const FunctionCode &code) {
    return called_with(
        code, [](code::Register) { return code::Former(); }, 0);
}

LockChanges LockCalls::of_function(const FunctionCode &code, code::Evaluation &values) {
    followed_ = 0;
    LockChanges found = has(code, 0) == Has::lock ? changes(code, values, 0) : LockChanges();
    for (LockChange &one : found) {
        if (one.object && is_made_up(*one.object)) {
            one.object.reset();
            one.stable = false;
        }
    }
    return found;
}

LockChanges LockCalls::changes(const FunctionCode &code, code::Evaluation &values, int depth) {
    LockChanges found;
    for (const std::size_t index : calls_of(code)) {
        const EntryPoint *const entry = entry_of(code.at(index));
        const auto success = entry == nullptr ? std::nullopt : success_of(code, index, *entry);
        if (has_effect(entry) && (may_do_ || entry->lock != LockEffect::tries || success)) {
            LockChange change;
            change.success = success;
            change.enters_there = success && !may_do_;
            change.index = index;
            change.kind = entry->kind;
            change.enters = entry->lock != LockEffect::leaves;
            // Who reads a lock that others read does not wait.
            change.waits = entry->lock == LockEffect::enters && entry->kind != WaitKind::rwlock;
            change.has_object = entry->object >= 0;
            if (change.has_object) {
                const code::Former object =
                    values.argument(index, static_cast<std::size_t>(entry->object));
                change.object = object.value;
                change.stable = object.is_stable;
            }
            found.push_back(change);
        } else if (const FunctionCode *const body = given(code, values, index)) {
            // Many may execute it: what it has taken it lets go.
            const LockChanges inner = of_call(*body, values, index, depth + 1, true);
            std::ranges::copy_if(inner, std::back_inserter(found),
                                 std::not_fn(&LockChange::enters));
        } else if (entry == nullptr) {
            bool unknown = false;
            const FunctionCode *const called = called_by(code.at(index), unknown);
            const Has inside = called != nullptr ? has(*called, depth + 1) : Has::nothing;
            if (unknown || inside == Has::unknown) {
                found.push_back(any_at(index));
            } else if (inside == Has::lock) {
                const LockChanges inner = of_call(*called, values, index, depth + 1, false);
                found.insert(found.end(), inner.begin(), inner.end());
            }
        }
    }
    note_left(found);
    return found;
}

// What calling a function does by its end: a lock that it has taken before it lets it go is as it
// was. Of one that calls itself the inner calls do what the outer one does.
LockChanges LockCalls::of_call(const FunctionCode &called, code::Evaluation &values,
                               std::size_t index, int depth, bool is_given) {
    if (depth > most_calls || ++followed_ > most_followed) {
        return {any_at(index)};
    }
    if (!open_.insert(called.start()).second) {
        return {};
    }
    const auto passed = [&](code::Register name) {
        return is_given ? code::Former() : values.held_by(index, name);
    };
    code::Evaluation inner = called_with(called, passed, depth);
    const LockChanges changes = this->changes(called, inner, depth);
    open_.erase(called.start());
    const std::function<Behind(std::size_t)> ends_at = [&](std::size_t one) {
        return behind(called, one);
    };
    const LockFlow flow(called, changes, ends_at);
    LockChanges found;
    for (LockChange one : changes) {
        const bool comes = may_do_ ? flow.is_usual(one.index) : flow.comes_to(one.index);
        const bool may_come = !may_do_ || leaves_first(called, changes, one, {0});
        if (!one.enters && comes && may_come && !flow.is_balanced(one)) {
            one.index = index;
            found.push_back(one);
        }
    }
    std::vector<std::size_t> ends = called.leaving();
    for (std::size_t one = 0; one < called.instructions().size(); ++one) {
        if (called.at(one).operation == Operation::give_back) {
            ends.push_back(one);
        }
    }
    std::erase_if(ends, [&](std::size_t one) {
        return !flow.comes_to(one) || (!may_do_ && is_first(called.at(one)));
    });
    for (std::size_t place = 0; place < changes.size(); ++place) {
        const auto holds = [&](std::size_t end) { return flow.after(end).perhaps.contains(place); };
        const auto surely = [&](std::size_t end) {
            return flow.after(end).surely.contains(flow.first_of(place));
        };
        if (std::ranges::any_of(ends, holds)) {
            LockChange one = changes[place];
            one.index = index;
            one.success.reset();
            one.enters_there = false;
            one.sure = one.sure && std::ranges::all_of(ends, surely);
            found.push_back(one);
        }
    }
    return found;
}

code::Evaluation LockCalls::called_with(const FunctionCode &called,
                                        const std::function<code::Former(code::Register)> &given,
                                        int depth) {
    const auto convention = calls_.functions().architecture()->convention();
    const auto at_entry = [=](code::Register name) -> code::Former {
        const auto arguments = convention.arguments;
        if (name != convention.stack_pointer &&
            std::ranges::find(arguments, name) == arguments.end()) {
            return {};
        }
        const code::Former passed = name == convention.stack_pointer ? code::Former() : given(name);
        return passed.value ? passed : code::Former{made_up(name, depth), true};
    };
    const auto memory = [now = calls_.memory()](std::uint64_t address, unsigned size) {
        return is_made_up(address) ? code::Former() : now(address, size);
    };
    return {calls_.functions().values(called), {std::nullopt, {}, memory, at_entry}};
}

LockCalls::Has LockCalls::has(const FunctionCode &code, int depth) {
    if (depth > most_calls || known_.size() > most_functions) {
        return Has::unknown;
    }
    const auto [known, is_new] = known_.try_emplace(code.start(), Has::unknown);
    if (!is_new) {
        return known->second;
    }
    Has found = Has::nothing;
    for (const std::size_t index : calls_of(code)) {
        const EntryPoint *const entry = entry_of(code.at(index));
        if (entry != nullptr || given_by(code.at(index)) >= 0) {
            const bool may = has_effect(entry) || given_by(code.at(index)) >= 0;
            found = std::max(found, may ? Has::lock : Has::nothing);
            continue;
        }
        bool unknown = false;
        const FunctionCode *const called = called_by(code.at(index), unknown);
        if (unknown) {
            found = std::max(found, Has::unknown);
        } else if (called != nullptr && called != &code) {
            found = std::max(found, has(*called, depth + 1));
        }
    }
    known_[code.start()] = found;
    return found;
}

std::string LockCalls::name_of(const Instruction &instruction) {
    const auto target = calls_.targets().destination(instruction);
    if (!target || calls_.code().is_user(*target)) {
        return target && is_first(instruction) ? calls_.names().unbound(instruction, *target)
                                               : std::string();
    }
    return calls_.functions().plain_name(*target).value_or("");
}

const EntryPoint *LockCalls::entry_of(const Instruction &instruction) {
    const EntryPoint *const entry = calls_.entry_of(instruction);
    if (entry != nullptr) {
        return entry;
    }
    const EntryPoint *const by_name = lock_call(name_of(instruction));
    if (!may_do_) {  // who holds the others is recorded, or nobody does
        return by_name != nullptr && by_name->kind >= least_ ? by_name : nullptr;
    }
    const bool is_runtimes = by_name != nullptr && by_name->kind < WaitKind::mutex;
    return is_runtimes && !is_first(instruction) ? nullptr : by_name;
}

// OpenMP's return whether they have taken it, the C library's an error.
std::optional<Success> LockCalls::success_of(const FunctionCode &code, std::size_t index,
                                             const EntryPoint &entry) const {
    std::size_t branch = index + 1;
    while (entry.lock == LockEffect::tries && branch < code.instructions().size() &&
           branch - index < short_code && !code.at(branch).is_jump() &&
           !code.at(branch).is_call() && !code.at(branch).ends_flow()) {
        ++branch;
    }
    if (branch == code.instructions().size() || code.at(branch).operation != Operation::branch) {
        return std::nullopt;
    }
    const auto is_taken = [&](std::uint64_t result) {
        code::Frame nothing_known;
        nothing_known.pc = code.at(index).address;
        code::Ahead ahead(calls_, nothing_known, {0, 0});
        ahead.pass_call(result);
        const bool comes = ahead.go_to(code.at(branch).address) == code::Ahead::End::comes;
        return comes ? ahead.state().holds(code.at(branch)) : std::nullopt;
    };
    const bool is_error = entry.kind >= WaitKind::mutex;
    const auto taken = is_taken(is_error ? 0 : 1);
    const auto failed = is_taken(is_error ? busy : 0);
    return taken && failed && *taken != *failed ? std::optional(Success{branch, *taken})
                                                : std::nullopt;
}

// Which argument of a call is a function that is executed by and by; -1 for none.
int LockCalls::given_by(const Instruction &instruction) {
    if (!may_do_ || !(instruction.is_call() || instruction.is_jump())) {
        return -1;
    }
    if (const EntryPoint *const entry = entry_of(instruction)) {
        return entry->body;
    }
    const std::string name = name_of(instruction);
    if (name == "pthread_create") {
        return created_function;
    }
    return code::role_of(name) == code::Role::allocates_task ? code::allocated_function : -1;
}

const FunctionCode *LockCalls::given(const FunctionCode &code, code::Evaluation &values,
                                     std::size_t index) {
    const int argument = given_by(code.at(index));
    const code::Value function =
        argument < 0 ? std::nullopt
                     : values.argument(index, static_cast<std::size_t>(argument)).value;
    return function && calls_.code().is_user(*function)
               ? calls_.functions().function_at_start(*function)
               : nullptr;
}

const FunctionCode *LockCalls::called_by(const Instruction &instruction, bool &unknown) {
    const auto target = calls_.targets().destination(instruction);
    const bool is_users = target && calls_.code().is_user(*target);
    const FunctionCode *const found =
        is_users ? calls_.functions().function_at_start(*target) : nullptr;
    unknown = !target || (is_users && found == nullptr && !is_first(instruction));
    return found;
}

// Whether nobody has made a call yet: the dynamic linker binds a stub at the first.
bool LockCalls::is_first(const Instruction &instruction) const {
    const auto target = calls_.targets().destination(instruction);
    const auto &functions = calls_.functions();
    return target && instruction.target != 0 && *target != instruction.target &&
           functions.module_at(*target) == functions.module_at(instruction.target) &&
           !functions.symbol_at(*target);
}

// Whether a branch is taken that depends on what a short function returns, if that is always the
// same: C++'s library asks so whether there are threads.
std::optional<bool> LockCalls::decided(const FunctionCode &code, std::size_t index) const {
    if (code.at(index).operation != Operation::branch) {
        return std::nullopt;
    }
    auto call = code.only_before(index);
    for (std::size_t count = 0; call && !code.at(*call).is_call() && count < short_code; ++count) {
        call = code.only_before(*call);
    }
    const auto target = call ? calls_.targets().destination(code.at(*call)) : std::nullopt;
    const FunctionCode *const asked = target && calls_.code().is_user(*target)
                                          ? calls_.functions().function_at_start(*target)
                                          : nullptr;
    if (asked == nullptr || asked->instructions().size() > short_code) {
        return std::nullopt;
    }
    code::Frame nothing_known;
    nothing_known.pc = code.at(*call).address;
    code::Ahead ahead(calls_, nothing_known, {0, 0});
    const bool comes = ahead.go_to(code.at(index).address) == code::Ahead::End::comes;
    return comes && ahead.state().read().empty() ? ahead.state().holds(code.at(index))
                                                 : std::nullopt;
}

Behind LockCalls::behind(const FunctionCode &code, std::size_t index) const {
    static constexpr std::array throwing{"__cxa_throw", "__cxa_rethrow", "_Unwind_Resume"};
    const Instruction &instruction = code.at(index);
    if (const auto is_taken = decided(code, index)) {
        return *is_taken ? Behind::always : Behind::never;
    }
    if (!instruction.is_call() || index + 1 >= code.instructions().size()) {
        return Behind::goes_on;
    }
    const auto name = calls_.name_called(code.at(index + 1).address);
    if (name && std::ranges::find(throwing, *name) != throwing.end()) {
        return Behind::throws;
    }
    return is_first(instruction) && !may_do_ ? Behind::unmade : Behind::goes_on;
}

}  // namespace gdb_ompd
