// SPDX-License-Identifier: Apache-2.0
#include "python_names.hpp"

#include "stop/held_locks.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace gdb_ompd {

namespace {

using namespace py::literals;

constexpr auto location_fields = fields("Location", "function", "file", "line", "pc", "code");

PlaceRef place_in(py::handle given) {
    return given.is_none() ? nullptr : given.cast<std::shared_ptr<SourcePlace>>();
}

std::vector<PlaceRef> places_in(const py::object &given) {
    std::vector<PlaceRef> places;
    for (const py::handle one : given) {
        places.push_back(place_in(one));
    }
    return places;
}

// One of which nothing else is asked.
PlaceRef plain_place(const py::object &given) {
    return std::make_shared<SourcePlace>(given, false, false);
}

std::optional<std::string> name_in(const py::object &given) {
    return given.is_none() ? std::nullopt : std::optional(bytes_of(given));
}

}  // namespace

SourcePlace::SourcePlace(ModelLocation given, bool is_systems, bool is_passed)
    : location(std::move(given)) {
    const GivenModel own(type_of<location_fields>(), location);
    pc = own[location_fields["pc"]].cast<std::uint64_t>();
    function = bytes_of(borrowed(own[location_fields["function"]]));
    is_in_file = !own[location_fields["code"]].is_none();
    has_source = !own[location_fields["file"]].is_none();
    in_system_header = is_systems;
    is_passed_over = is_passed;
}

std::vector<PlaceRef> PythonNames::at(std::span<const CodePoint> points) {
    py::list asked;
    for (const auto &[pc, innermost] : points) {
        asked.append(py::make_tuple(pc, innermost));
    }
    return places_in(names_.attr("at")(asked));
}

std::vector<PlaceRef> PythonNames::chain(int gdb_num, std::uint64_t pc) {
    return places_in(names_.attr("chain")(gdb_num, pc));
}

std::string PythonNames::outermost_called(int gdb_num) {
    return bytes_of(names_.attr("outermost_called")(gdb_num));
}

PlaceRef PythonNames::left(std::span<const std::uint64_t> jumps,
                           std::optional<std::uint64_t> function) {
    return place_in(
        names_.attr("left")(std::vector<std::uint64_t>(jumps.begin(), jumps.end()), function));
}

PlaceRef PythonNames::with_innermost(const PlaceRef &place, const PlaceRef &innermost) {
    auto made = std::make_shared<SourcePlace>(static_cast<const SourcePlace &>(*place));
    made->location = made->location.attr("_replace")("innermost"_a = location_of(innermost));
    return made;
}

code::WaitKind PythonNames::kind_by_lines(code::WaitKind kind, std::span<const CallPlace> places) {
    const py::object found = names_.attr("kind_by_lines")(
        std::string(text(kind)), std::vector<CallPlace>(places.begin(), places.end()));
    return code::wait_kind(text_in(found));
}

std::optional<std::string> PythonNames::object(code::WaitKind kind, std::uint64_t address,
                                               int gdb_num, std::uint64_t pc) {
    return name_in(names_.attr("object")(std::string(text(kind)), address, gdb_num, pc));
}

std::optional<std::string> PythonNames::mutex(std::uint64_t address, int gdb_num,
                                              std::uint64_t pc) {
    return name_in(names_.attr("mutex")(address, gdb_num, pc));
}

bool PythonNames::waits_for_others(const std::string &function) {
    return names_.attr("waits_for_others")(to_text(function)).cast<bool>();
}

bool PythonNames::is_in_body(int gdb_num, std::uint64_t function) {
    return names_.attr("is_in_body")(gdb_num, function).cast<bool>();
}

PythonNames::Names PythonNames::functions_at(std::uint64_t pc, std::uint64_t start) {
    const py::object found = names_.attr("functions_at")(pc, start);
    if (found.is_none()) {
        return std::nullopt;
    }
    std::vector<std::string> names;
    for (const py::handle name : found) {
        names.push_back(bytes_of(borrowed(name)));
    }
    return names;
}

FrameFunction PythonNames::function(int gdb_num, std::size_t frame) {
    return names_.attr("function")(gdb_num, frame).cast<FrameFunction>();
}

PlaceRef PythonNames::frame_place(int gdb_num, std::size_t frame) {
    return plain_place(names_.attr("frame_place")(gdb_num, frame));
}

PlaceRef PythonNames::call_place(std::uint64_t pc) {
    return plain_place(names_.attr("call_place")(pc));
}

PlaceRef PythonNames::construct_called(const PlaceRef &call, code::Value body) {
    return plain_place(names_.attr("construct_called")(location_of(call), body));
}

PlaceRef PythonNames::construct_of(std::uint64_t body) {
    return plain_place(names_.attr("construct")(0, body));
}

bool PythonNames::is_same_construct(const PlaceRef &one, const PlaceRef &other) {
    if (one == nullptr || other == nullptr) {
        return false;
    }
    const GivenModel own(type_of<location_fields>(), location_of(one));
    const GivenModel others(type_of<location_fields>(), location_of(other));
    constexpr std::array compared{location_fields["function"], location_fields["file"],
                                  location_fields["line"]};
    return std::ranges::all_of(compared, [&](auto field) {
        return !own[field].is_none() && own[field].equal(others[field]);
    });
}

std::optional<std::string> PythonNames::directive(std::uint64_t pc, const PlaceRef &construct) {
    return name_in(names_.attr("directive")(pc, location_of(construct)));
}

std::optional<std::int64_t> PythonNames::value(int gdb_num, std::uint64_t pc,
                                               const std::string &expression) {
    return names_.attr("value")(gdb_num, pc, to_text(expression))
        .cast<std::optional<std::int64_t>>();
}

PlaceRef PythonNames::with_line(const PlaceRef &place, const ConstructPlace &construct) {
    const py::tuple location(location_of(place));
    const auto name = [](std::string_view path) { return path.substr(path.rfind('/') + 1); };
    const GivenModel own(type_of<location_fields>(), location);
    const std::string file = bytes_of(borrowed(own[location_fields["file"]]));
    if (file.empty() || name(file) != name(construct.file)) {
        return place;
    }
    ModelValue made(type_of<location_fields>(), location);
    made.set(location_fields["line"], py::int_(construct.line));
    return plain_place(made.done());
}

PlaceRef PythonNames::with_pc(const PlaceRef &place, std::uint64_t pc) {
    ModelValue made(type_of<location_fields>(), py::tuple(location_of(place)));
    made.set(location_fields["pc"], py::int_(pc));
    return plain_place(made.done());
}

PlaceRef PythonNames::unknown_place(std::uint64_t pc) {
    ModelValue made(type_of<location_fields>());
    made.set(location_fields["pc"], py::int_(pc));
    return plain_place(made.done());
}

bool PythonNames::is_left_by_jump(std::uint64_t called, const std::string &inside) {
    return names_.attr("is_left_by_jump")(called, to_text(inside, "surrogateescape")).cast<bool>();
}

bool PythonNames::is_unreadable(int gdb_num) const {
    return names_.attr("is_unreadable")(gdb_num).cast<bool>();
}

py::object PythonNames::held(int gdb_num, const std::vector<HeldLock> &found) const {
    return names_.attr("held")(gdb_num, found);
}

py::object PythonNames::spot(std::uint64_t pc, bool is_calling) const {
    return names_.attr("call_place")(pc + (is_calling ? 0 : 1));
}

py::object PythonNames::variables(int gdb_num, const std::vector<std::uint64_t> &addresses) const {
    return names_.attr("variables")(gdb_num, addresses);
}

py::object PythonNames::construct(std::uint64_t pc, std::uint64_t function) const {
    return names_.attr("construct")(pc, function);
}

py::object location_of(const PlaceRef &place) {
    return place == nullptr ? py::object(py::none())
                            : py::object(static_cast<const SourcePlace &>(*place).location);
}

}  // namespace gdb_ompd
