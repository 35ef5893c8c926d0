// SPDX-License-Identifier: Apache-2.0
#include "runtimes/ompd_icvs.hpp"

#include "runtimes/ompd_asking.hpp"

#include <algorithm>

namespace gdb_ompd {

namespace {

constexpr std::string_view alias_prefix = "ompd-";
// Names that are OpenMP's for ICVs that have another as well.
constexpr std::array<std::pair<std::string_view, std::string_view>, 2> other_names{
    {{"ompd-final-var", "final-task-var"}, {"ompd-implicit-var", "implicit-task-var"}}};

std::string_view without_prefix(std::string_view name) {
    for (const auto &[other, own] : other_names) {
        if (name == other) {
            return own;
        }
    }
    return name.starts_with(alias_prefix) ? name.substr(alias_prefix.size()) : name;
}

bool known_scope(ompd_scope_t scope) {
    return scope >= ompd_scope_global && scope <= ompd_scope_task;
}

// The handle that an ICV of this scope is asked of.
const Handle *owner_of(ompd_scope_t scope, const IcvTable::Owners &owners) {
    switch (scope) {
    case ompd_scope_thread:
        return owners.thread;
    case ompd_scope_parallel:
        return owners.region;
    case ompd_scope_implicit_task:
    case ompd_scope_task:
        return owners.task;
    default:
        return nullptr;
    }
}

}  // namespace

void IcvTable::enumerate(const Process &process) {
    if (enumerated()) {
        return;
    }
    std::vector<IcvName> named;
    code_ = failure_of(function_names.enumerate_icvs.name, [&] {
                for (auto &[number, name, scope] : process.enumerate_icvs()) {
                    if (known_scope(scope)) {
                        named.push_back({number, std::move(name), scope});
                    }
                }
            }).code;
    icvs_.clear();
    for (const IcvName &icv : named) {
        const std::string_view plain = without_prefix(icv.name);
        const auto same = [&](const IcvName &other) { return without_prefix(other.name) == plain; };
        const auto own = [&](const IcvName &other) { return other.name == plain; };
        // Each once, and by an alias only where the library has no other name.
        const bool is_new = std::none_of(icvs_.begin(), icvs_.end(), same);
        if (is_new && (icv.name == plain || std::none_of(named.begin(), named.end(), own))) {
            icvs_.push_back(icv);
        }
    }
}

const std::vector<IcvName> &IcvTable::all() const {
    if (!enumerated()) {
        throw OmpdError(function_names.enumerate_icvs.name, code_);
    }
    return icvs_;
}

const IcvName *IcvTable::find(std::string_view name) const {
    const auto found = std::find_if(icvs_.begin(), icvs_.end(),
                                    [&](const IcvName &icv) { return icv.name == name; });
    return found == icvs_.end() ? nullptr : &*found;
}

Fact<int> IcvTable::number(const IcvAliases &aliases, const Owners &owners, int lowest,
                           int highest) const {
    const IcvName *icv = nullptr;
    for (const std::string_view alias : aliases) {
        icv = icv == nullptr ? find(alias) : icv;
    }
    if (icv == nullptr) {
        return Fact<int>::unknown(function_names.enumerate_icvs.name,
                                  enumerated() ? ompd_rc_unavailable : code_);
    }
    const char *const call = function_names.get_icv_from_scope.name;
    const Handle *const owner = owner_of(icv->scope, owners);
    if (owner == nullptr) {
        return Fact<int>::unknown(call, ompd_rc_unavailable);
    }
    return ask_fact<int>(call, [&] {
        const ompd_word_t value = owner->icv(icv->number, icv->scope);
        if (value < lowest || value > highest) {
            throw OmpdError(call, ompd_rc_error);
        }
        return static_cast<int>(value);
    });
}

void read_icv(const Handle &handle, IcvFacts &facts) {
    const IcvName &icv = *facts.icv;
    bool incomplete = false;
    facts.number = ask_fact<ompd_word_t>(function_names.get_icv_from_scope.name, [&] {
        const auto [value, more] = handle.icv_or_incomplete(icv.number, icv.scope);
        incomplete = more;
        return value;
    });
    if (incomplete || !facts.number.known()) {
        facts.text = ask_fact<std::string>(function_names.get_icv_string_from_scope.name, [&] {
            return handle.icv_string(icv.number, icv.scope);
        });
    }
}

Fact<ompd_word_t> icv_outside(const IcvName &icv, const Failure &failure) {
    const auto is_one_of = [&](const IcvAliases &names) {
        return std::find(names.begin(), names.end(), icv.name) != names.end();
    };
    if (is_one_of(icv_names::levels) || is_one_of(icv_names::active_levels)) {
        return {0};
    }
    return is_one_of(icv_names::team_size)
               ? Fact<ompd_word_t>{1}
               : Fact<ompd_word_t>::unknown(failure.function, failure.code);
}

}  // namespace gdb_ompd
