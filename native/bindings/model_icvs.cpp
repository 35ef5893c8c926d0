// SPDX-License-Identifier: Apache-2.0
#include "base/errors.hpp"
#include "base/specification.hpp"

#include "model_types.hpp"
#include "model_values.hpp"
#include "model_words.hpp"

#include <map>

namespace gdb_ompd {

namespace {

constexpr auto icv_fields =
    fields("Icv", "name", "scope", "owner", "value", "text", "source", "runtime");
constexpr auto icv_owner_fields = fields("IcvOwner", "gdb_num", "region");
constexpr auto control_variable_fields =
    fields("ControlVariable", "name", "value", "source", "runtime");

py::object scope_of(const IcvName &icv) {
    static const auto *const scopes = [] {
        auto *const made = new std::map<ompd_scope_t, py::object>;
        for (const specification::Scope &scope : specification::scopes()) {
            made->emplace(scope.number, model_attribute("Scope")(std::string(scope.words)));
        }
        return made;
    }();
    return scopes->at(icv.scope);
}

py::object owner_of(const IcvFacts &facts, int first) {
    const auto region = number_of(facts.region, first);
    if (!facts.gdb_num && !region) {
        return py::none();
    }
    ModelValue made(type_of<icv_owner_fields>());
    made.set(icv_owner_fields["gdb_num"], to_python(facts.gdb_num));
    made.set(icv_owner_fields["region"], to_python(region));
    return made.done();
}

// What failed for a value, "" for nothing. A text in place of a number is a complete answer; a
// number alone may be a list's first.
std::string failures_of(const IcvFacts &facts) {
    std::string found;
    const auto add = [&](const char *failed, ompd_rc_t code) {
        if (failed != nullptr) {
            found += (found.empty() ? "" : "; ") + std::string(failed) + ": " + error_string(code);
        }
    };
    if (!facts.text.value) {
        add(facts.number.failed, facts.number.code);
    }
    add(facts.text.failed, facts.text.code);
    return found;
}

// Where a value is from, null for the library.
const char *source_of(const IcvFacts &facts) {
    return facts.number.source != nullptr ? facts.number.source : facts.text.source;
}

std::string words_of(const IcvFacts &facts) {
    const bool is_known = facts.number.value || facts.text.value;
    if (!is_known && source_of(facts) != nullptr && facts.why_none != nullptr) {
        return facts.why_none;
    }
    const std::string failed = failures_of(facts);
    const std::string words =
        is_known
            ? specification::icv_in_words(facts.icv->name, facts.number.value, facts.text.value)
            : "not available";
    return failed.empty() ? words : words + " (" + failed + ")";
}

}  // namespace

ModelIcv to_icv(const IcvFacts &facts, int first, const std::string &runtime) {
    ModelValue made(type_of<icv_fields>());
    made.set(icv_fields["name"], to_text(facts.icv->name));
    made.set(icv_fields["scope"], scope_of(*facts.icv));
    made.set(icv_fields["owner"], owner_of(facts, first));
    made.set(icv_fields["value"], facts.number.value ? to_python(facts.number.value)
                                  : facts.text.value ? py::object(to_text(*facts.text.value))
                                                     : py::none());
    made.set(icv_fields["text"], to_text(words_of(facts)));
    made.set(icv_fields["source"], source_word(source_of(facts)));
    made.set(icv_fields["runtime"], file_or_none(runtime));
    return made.done();
}

ModelVariable to_control_variable(const ControlVariable &variable, const std::string &runtime) {
    ModelValue made(type_of<control_variable_fields>());
    made.set(control_variable_fields["name"], to_text(variable.name));
    if (variable.value) {
        made.set(control_variable_fields["value"], to_text(*variable.value));
    }
    made.set(control_variable_fields["source"], source_word(variable.source));
    made.set(control_variable_fields["runtime"], file_or_none(runtime));
    return made.done();
}

}  // namespace gdb_ompd
