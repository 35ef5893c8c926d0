// SPDX-License-Identifier: Apache-2.0
// The known faults of LLVM's OMPD library, each as a rule that puts a fact right.
#pragma once

#include "model/facts.hpp"

#include <span>
#include <utility>

namespace gdb_ompd::llvm {

struct Correction {
    const char *name;   // the source of the facts that it gives
    const char *fault;  // what the library says that is not so, or does not say
    const char *right;  // where the right value is read
};

namespace corrections {
extern const Correction idle_workers;
extern const Correction starting_workers;
extern const Correction kinds_of_threads;
extern const Correction nested_serialized_regions;
extern const Correction serialized_functions;
extern const Correction callers;
extern const Correction regions_at_events;
extern const Correction leagues;
extern const Correction states_by_level;
extern const Correction unnamed_states;
extern const Correction shared_tasks;
extern const Correction untracked;
extern const Correction generating_tasks;
extern const Correction scheduling_tasks;
extern const Correction number_of_processors;
extern const Correction environment;
}  // namespace corrections

// Every rule, in the order of the documentation.
[[nodiscard]] std::span<const Correction *const> all_corrections();

// Have FACT say VALUE. What a call of the library failed to tell stays unknown: a rule
// corrects what the library says, and answers for it only where it gives the code EXPECTED.
template <class T>
void correct(Fact<T> &fact, T value, const Correction &rule, ompd_rc_t expected = ompd_rc_ok) {
    const bool has_failed = fact.failed != nullptr && fact.code != expected;
    if (!has_failed && fact.value != value) {
        fact = Fact<T>::from(rule.name, std::move(value));
    }
}

// Have FACT be unknown, as by RULE what the library says of it is not so.
template <class T> void withdraw(Fact<T> &fact, const Correction &rule) {
    if (fact.failed == nullptr) {
        fact = Fact<T>{std::nullopt, rule.name};
    }
}

}  // namespace gdb_ompd::llvm
