// SPDX-License-Identifier: Apache-2.0
#include "runtimes/ompd_icvs.hpp"

#include "base/specification.hpp"
#include "runtimes/ompd_asking.hpp"

#include <algorithm>

namespace gdb_ompd {

namespace {

using specification::icv_name;

// The handle that an ICV of this scope is asked of.
const Handle *owner_of(ompd_scope_t scope, const IcvTable::Owners &owners) {
    if (is_regions(scope)) {
        return owners.region;
    }
    switch (scope) {
    case ompd_scope_thread:
        return owners.thread;
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
                    if (specification::scope(scope) != nullptr) {
                        std::string specified(icv_name(name));
                        named.push_back({number, std::move(name), scope, std::move(specified)});
                    }
                }
            }).code;
    icvs_.clear();
    for (const IcvName &icv : named) {
        const auto same = [&](const IcvName &other) { return other.specified == icv.specified; };
        const auto own = [&](const IcvName &other) { return other.name == icv.specified; };
        // Each once, and by an alias only where the library has no other name.
        const bool is_new = std::none_of(icvs_.begin(), icvs_.end(), same);
        if (is_new &&
            (icv.name == icv.specified || std::none_of(named.begin(), named.end(), own))) {
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

bool IcvTable::has(std::string_view name) const {
    return std::ranges::find(icvs_, name, &IcvName::specified) != icvs_.end();
}

Fact<int> IcvTable::number(std::string_view name, const Owners &owners, int lowest,
                           int highest) const {
    const auto found = std::ranges::find(icvs_, name, &IcvName::specified);
    const IcvName *const icv = found == icvs_.end() ? nullptr : &*found;
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

Fact<bool> IcvTable::is_explicit(const TaskHandle &task) const {
    const Owners owners{nullptr, nullptr, &task};
    Fact<int> told = number(icv_names::explicit_task, owners, 0, 1);
    if (!told.known()) {
        const Fact<int> implicit = number(icv_names::implicit_task, owners, 0, 1);
        told = implicit.known() ? Fact<int>{1 - *implicit.value} : implicit;
    }
    return told.known() ? Fact<bool>{*told.value != 0}
                        : Fact<bool>::unknown(told.failed, told.code);
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
    const std::string_view name = icv.specified;
    if (name == icv_names::levels || name == icv_names::active_levels) {
        return {0};
    }
    return name == icv_names::team_size
               ? Fact<ompd_word_t>{1}
               : Fact<ompd_word_t>::unknown(failure.function, failure.code);
}

}  // namespace gdb_ompd
