// SPDX-License-Identifier: Apache-2.0
// The target construct that a thread is in, as the model has it.
#include "hang_values.hpp"

#include "code/outlined_names.hpp"

#include <array>

namespace gdb_ompd {

namespace {

constexpr auto target_fields = fields("TargetConstruct", "kind", "executes", "device", "default",
                                      "on_host", "plugin", "function", "file", "line", "code");
constexpr auto place_fields = fields("Location", "function", "file", "line", "code");

py::object to_kind(code::WaitKind kind) {
    static const auto *const words = new std::array<py::object, 3>{
        model_word("TargetKind", "REGION"), model_word("TargetKind", "MAP"),
        model_word("TargetKind", "UPDATE")};
    return words->at(static_cast<std::size_t>(kind) -
                     static_cast<std::size_t>(code::WaitKind::target));
}

std::string region_name(const code::TargetRegion &region) {
    const std::string name = code::demangled(region.function);
    return std::string(code::without_parameters(name));
}

// Whether it is in the function that the region's name tells, and not in one that is inlined there.
bool is_in(const std::string &region, const py::object &function) {
    return !function.is_none() && code::without_parameters(function.cast<std::string>()) == region;
}

// The name of a region's function has its line, and of the file no more than a number.
void set_place(ModelValue &made, const TargetConstruct &found, const PythonNames &names) {
    const py::object place = names.construct(found.pc, found.function);
    const std::string region = found.region ? region_name(*found.region) : std::string();
    if (found.region) {
        made.set(target_fields["function"], to_text(region));
        made.set(target_fields["line"], py::int_(found.region->line));
    }
    if (place.is_none()) {
        return;
    }
    const GivenModel given(type_of<place_fields>(), place);
    const py::object function = borrowed(given[place_fields["function"]]);
    if (!found.region) {
        made.set(target_fields["function"], function);
        made.set(target_fields["line"], borrowed(given[place_fields["line"]]));
    } else if (!is_in(region, function)) {
        return;
    }
    made.set(target_fields["file"], borrowed(given[place_fields["file"]]));
    made.set(target_fields["code"], borrowed(given[place_fields["code"]]));
}

}  // namespace

py::object to_target(const std::optional<TargetConstruct> &found, const PythonNames &names) {
    if (!found) {
        return py::none();
    }
    ModelValue made(type_of<target_fields>());
    made.set(target_fields["kind"], to_kind(found->kind));
    made.set(target_fields["executes"], py::bool_(found->executes));
    const auto device = found->is_for_default() ? found->default_device : found->device;
    if (device) {
        made.set(target_fields["device"], py::int_(*device));
    }
    made.set(target_fields["default"], py::bool_(found->is_for_default()));
    made.set(target_fields["on_host"], py::bool_(found->on_host));
    made.set(target_fields["plugin"], text_or_none(found->plugin));
    set_place(made, *found, names);
    return made.done();
}

}  // namespace gdb_ompd
