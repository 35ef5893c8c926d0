// SPDX-License-Identifier: Apache-2.0
#include "recovery/event_symbols.hpp"

#include "base/target.hpp"

#include <algorithm>
#include <array>
#include <set>

namespace gdb_ompd::recovery {

namespace {

constexpr std::size_t most_other_users = 3;  // that are neither ompd_init() nor announce events
constexpr std::size_t fewest_users_of_enabled = 100;

// In the order of their definitions.
const std::array<std::string, 6> event_functions = {
    "ompd_bp_parallel_begin", "ompd_bp_parallel_end", "ompd_bp_task_begin",
    "ompd_bp_task_end",       "ompd_bp_thread_begin", "ompd_bp_thread_end",
};

class EventSymbols {
public:
    EventSymbols(const code::CodeIndex &code, const OmpdInit &init, Findings &findings)
        : code_(code), init_(init), findings_(findings) {}

    void find() {
        find_locations();
        find_functions();
        if (functions_.size() == event_functions.size()) {
            check_callers();
            find_state();
            find_environment();
        }
    }

private:
    // The only pointer that is no constant.
    void find_locations() {
        std::set<std::uint64_t> stored;
        for (std::size_t i = init_.after_constants; i < init_.effects.size(); ++i) {
            const code::Effect &effect = init_.effects[i];
            if (effect.kind == code::Effect::Kind::store && effect.width == pointer_size &&
                !effect.value && code_.image().is_writable(effect.address)) {
                stored.insert(effect.address);
            }
        }
        findings_.found_only("ompd_dll_locations", stored, SymbolKind::data,
                             "the pointers that ompd_init() stores");
    }

    // ompd_dll_locations_valid() is the only empty function that ompd_init()
    // calls; the six event functions are the empty ones that follow.
    void find_functions() {
        std::set<std::uint64_t> called;
        for (const code::Effect &effect : init_.effects) {
            const bool calls =
                effect.kind == code::Effect::Kind::call || effect.kind == code::Effect::Kind::jump;
            const auto target = calls ? code_.starting_at(effect.address) : std::nullopt;
            if (target && code_.is_trivial(*target)) {
                called.insert(effect.address);
            }
        }
        findings_.found_only("ompd_dll_locations_valid", called, SymbolKind::function,
                             "the empty functions that ompd_init() calls");
        if (called.size() == 1) {
            name_functions(*code_.starting_at(*called.begin()));
        }
    }

    void name_functions(code::FunctionNumber valid) {
        const code::FunctionNumber init = init_.function;
        // GCC may put ompd_dll_locations_valid() in front of ompd_init().
        code::FunctionNumber next = valid > init ? valid + 1 : init + 1;
        constexpr code::FunctionNumber farthest = 5;
        while (valid < init && next < init + farthest && !is_trivial(next)) {
            ++next;
        }
        for (; is_trivial(next) && functions_.size() < event_functions.size(); ++next) {
            functions_.push_back(next);
        }
        if (functions_.size() != event_functions.size()) {
            findings_.refuse("the event functions: " + std::to_string(functions_.size()) +
                             " empty functions follow, not six");
            return;
        }
        for (std::size_t i = 0; i < event_functions.size(); ++i) {
            findings_.found(event_functions[i], code_.range(functions_[i]).start,
                            SymbolKind::function, "the order of the empty functions");
        }
    }

    [[nodiscard]] bool is_trivial(code::FunctionNumber number) const {
        return number < code_.size() && code_.is_trivial(number);
    }

    // Each is called; functions that the runtime exports call the right ones.
    void check_callers() {
        for (std::size_t i = 0; i < event_functions.size(); ++i) {
            const auto &callers = code_.callers(code_.range(functions_[i]).start);
            findings_.require(!callers.empty(), event_functions[i] + " is never called");
            callers_.insert(callers.begin(), callers.end());
        }
        check_caller("__kmpc_end_serialized_parallel", 1);
        check_caller("GOMP_parallel_end", 1);
        check_caller("__kmp_fork_call", 0);
        check_caller("__kmpc_omp_task_begin_if0", 2);
        for (const code::FunctionNumber caller : callers_) {
            const auto called = called_events(caller);
            findings_.require(!((called.contains(4) || called.contains(5)) &&
                                (called.contains(0) || called.contains(2) || called.contains(3))),
                              "a function announces both a thread and a region or task");
        }
    }

    void check_caller(const std::string &exported, std::size_t event) {
        const auto function = code_.exported(exported);
        const auto called = function ? called_events(*function) : std::set<std::size_t>{};
        findings_.require(called.empty() || called.contains(event),
                          exported + "() does not announce what it should");
    }

    [[nodiscard]] std::set<std::size_t> called_events(code::FunctionNumber caller) const {
        std::set<std::size_t> called;
        for (const code::Effect &effect : code_.whole_effects(caller)) {
            if (effect.kind != code::Effect::Kind::call &&
                effect.kind != code::Effect::Kind::jump) {
                continue;
            }
            for (std::size_t i = 0; i < functions_.size(); ++i) {
                if (effect.address == code_.range(functions_[i]).start) {
                    called.insert(i);
                }
            }
        }
        return called;
    }

    // ompd_init() sets a 1 in two words. ompd_state is the one that the announcing functions look
    // at and hardly anyone else. The other is ompt_enabled, which the whole runtime looks at: 153
    // to 359 functions in the builds known.
    void find_state() {
        std::set<std::uint64_t> flagged;
        for (const code::Effect &effect : init_.effects) {
            if (effect.kind == code::Effect::Kind::store_or && effect.value == 1 &&
                code_.image().is_writable(effect.address)) {
                flagged.insert(effect.address);
            }
        }
        std::set<std::uint64_t> states;
        for (const std::uint64_t candidate : flagged) {
            if (guards_events(candidate)) {
                states.insert(candidate);
            }
        }
        findings_.found_only("ompd_state", states, SymbolKind::data,
                             "the flags that guard the announcements");
        if (flagged.size() != 2 || states.size() != 1) {
            return;
        }
        flagged.erase(*states.begin());
        if (code_.users(*flagged.begin()).size() >= fewest_users_of_enabled) {
            findings_.found("ompt_enabled", *flagged.begin(), SymbolKind::data,
                            "the flags that ompd_init() sets");
        }
    }

    [[nodiscard]] bool guards_events(std::uint64_t candidate) const {
        const auto &users = code_.users(candidate);
        std::set<code::FunctionNumber> own;
        const auto init_parts = code_.parts(init_.function);
        own.insert(init_parts.begin(), init_parts.end());
        std::size_t guarded = 0;
        for (const code::FunctionNumber caller : callers_) {
            const auto parts = code_.parts(caller);
            own.insert(parts.begin(), parts.end());
            const bool looks =
                std::any_of(parts.begin(), parts.end(), [&](code::FunctionNumber part) {
                    return std::binary_search(users.begin(), users.end(), part);
                });
            guarded += looks ? 1 : 0;
        }
        const auto others =
            std::count_if(users.begin(), users.end(),
                          [&](code::FunctionNumber user) { return !own.contains(user); });
        return guarded + 1 >= callers_.size() &&
               static_cast<std::size_t>(others) <= most_other_users;
    }

    // Defined right after ompd_state; used by the same functions, and cleared
    // together at the library's end.
    void find_environment() {
        const auto state = findings_.address("ompd_state");
        const auto locations = findings_.address("ompd_dll_locations");
        if (!state || !locations) {
            return;
        }
        const std::uint64_t step = init_.ascending ? pointer_size : -std::uint64_t{pointer_size};
        const std::uint64_t block = *state + step;
        const std::uint64_t size = block + step;
        const auto &users = code_.users(block);
        const auto clearing =
            std::count_if(users.begin(), users.end(), [&](code::FunctionNumber user) {
                return clears_both(user, block, size);
            });
        if (*state != *locations + step || users.empty() || users.size() > most_other_users ||
            users != code_.users(size) || clearing != 1) {
            findings_.refuse("ompd_env_block is not beside ompd_state");
            return;
        }
        findings_.found("ompd_env_block", block, SymbolKind::data, "its neighbours and users");
        findings_.found("ompd_env_block_size", size, SymbolKind::data, "its neighbours and users");
    }

    [[nodiscard]] bool clears_both(code::FunctionNumber user, std::uint64_t block,
                                   std::uint64_t size) const {
        std::vector<std::uint64_t> cleared;
        bool at_once = false;
        std::uint64_t last = 0;
        for (const code::Effect &effect : code_.whole_effects(user)) {
            const bool clears = (effect.kind == code::Effect::Kind::store ||
                                 effect.kind == code::Effect::Kind::store_and) &&
                                effect.width == pointer_size && effect.value == 0;
            if (clears && (effect.address == block || effect.address == size)) {
                at_once = at_once || (!cleared.empty() && effect.at == last);
                cleared.push_back(effect.address);
                last = effect.at;
            }
        }
        // One store of both says nothing of their order.
        return cleared == std::vector{block, size} ||
               (at_once && cleared == std::vector{size, block});
    }

    const code::CodeIndex &code_;
    const OmpdInit &init_;
    Findings &findings_;
    std::vector<code::FunctionNumber> functions_;
    std::set<code::FunctionNumber> callers_;
};

}  // namespace

void find_event_symbols(const code::CodeIndex &code, const OmpdInit &init, Findings &findings) {
    EventSymbols(code, init, findings).find();
}

}  // namespace gdb_ompd::recovery
