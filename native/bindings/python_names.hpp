// SPDX-License-Identifier: Apache-2.0
// What the debugger names, asked of Python: places in the source, and the user's objects.
#pragma once

#include "stop/stacks.hpp"

#include "places.hpp"

#include <string>
#include <vector>

namespace gdb_ompd {

// A place as Python has named it.
struct SourcePlace : NamedPlace {
    SourcePlace(ModelLocation given, bool is_systems, bool is_passed);

    ModelLocation location;
};

class PythonNames : public StopNames {
public:
    explicit PythonNames(py::object names) : names_(std::move(names)) {}

    std::vector<PlaceRef> at(std::span<const CodePoint> points) override;
    std::vector<PlaceRef> chain(int gdb_num, std::uint64_t pc) override;
    std::string outermost_called(int gdb_num) override;
    PlaceRef left(std::span<const std::uint64_t> jumps,
                  std::optional<std::uint64_t> function) override;
    PlaceRef with_innermost(const PlaceRef &place, const PlaceRef &innermost) override;
    code::WaitKind kind_by_lines(code::WaitKind kind, std::span<const CallPlace> places) override;
    std::optional<std::string> object(code::WaitKind kind, std::uint64_t address, int gdb_num,
                                      std::uint64_t pc) override;
    std::optional<std::string> mutex(std::uint64_t address, int gdb_num, std::uint64_t pc) override;
    bool waits_for_others(const std::string &function) override;
    bool is_in_body(int gdb_num, std::uint64_t function) override;
    Names functions_at(std::uint64_t pc, std::uint64_t start) override;
    FrameFunction function(int gdb_num, std::size_t frame) override;
    PlaceRef frame_place(int gdb_num, std::size_t frame) override;
    PlaceRef call_place(std::uint64_t pc) override;
    PlaceRef construct_called(const PlaceRef &call, code::Value body) override;
    PlaceRef construct_of(std::uint64_t body) override;
    PlaceRef unknown_place(std::uint64_t pc) override;
    bool is_same_construct(const PlaceRef &one, const PlaceRef &other) override;
    std::optional<std::string> directive(std::uint64_t pc, const PlaceRef &construct) override;
    std::optional<std::int64_t> value(int gdb_num, std::uint64_t pc,
                                      const std::string &expression) override;
    PlaceRef with_line(const PlaceRef &place, const ConstructPlace &construct) override;
    PlaceRef with_pc(const PlaceRef &place, std::uint64_t pc) override;
    bool is_left_by_jump(std::uint64_t called, const std::string &inside) override;
    [[nodiscard]] bool is_unreadable(int gdb_num) const override;

    // Where the construct is whose call returns to PC and whose FUNCTION begins there; 0 where one
    // is not known.
    [[nodiscard]] py::object construct(std::uint64_t pc, std::uint64_t function) const;
    // The locks that a thread is inside of, as explain/facts.py has them.
    [[nodiscard]] py::object held(int gdb_num, const std::vector<HeldLock> &found) const;
    // Where a thread is that executes the user's code at PC, a return address if it IS_CALLING.
    [[nodiscard]] py::object spot(std::uint64_t pc, bool is_calling) const;
    // What the user calls the variables at ADDRESSES.
    [[nodiscard]] py::object variables(int gdb_num,
                                       const std::vector<std::uint64_t> &addresses) const;

private:
    py::object names_;
};

}  // namespace gdb_ompd
