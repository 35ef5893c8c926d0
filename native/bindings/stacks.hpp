// SPDX-License-Identifier: Apache-2.0
// The stacks of one stop's threads, with the debugger's part by Python.
#pragma once

#include "stop/stacks.hpp"

#include "frames.hpp"
#include "python_names.hpp"

#include <map>
#include <optional>
#include <utility>
#include <vector>

namespace gdb_ompd {

// With the debugger's part; see DebuggersFrames.
class PythonStacks : public WholeStacks {
public:
    using Debuggers = Typed<"DebuggersFrames">;
    PythonStacks(WaitReader &reader, std::optional<Unwinder *> unwinder, Debuggers debuggers)
        : WholeStacks(reader, unwinder.value_or(nullptr)), debuggers_(std::move(debuggers)) {}

    [[nodiscard]] Frames unwound(int gdb_num, Unwind unwind) override;
    [[nodiscard]] Frames by_debugger(int gdb_num) override;
    [[nodiscard]] Frames around_by_debugger(int gdb_num) override {
        return asked("given_around_user", gdb_num);
    }
    [[nodiscard]] std::vector<Read> reads(const std::vector<int> &gdb_nums) override;
    [[nodiscard]] std::map<int, code::Value> executed(const std::vector<int> &gdb_nums) override;

private:
    [[nodiscard]] Frames asked(const char *what, int gdb_num) {
        return frames_of(reader(), debuggers_.attr(what)(gdb_num).cast<std::vector<GivenFrame>>());
    }
    // Null for those that the unwinder does not tell.
    [[nodiscard]] ThreadStacks stacks_of(const std::vector<int> &gdb_nums);

    py::object debuggers_;
    std::map<int, py::object> stacks_;  // of those that were asked for
};

class ModelStacks {
public:
    ModelStacks(WaitReader &reader, std::optional<Unwinder *> unwinder,
                PythonStacks::Debuggers debuggers, const Typed<"PlaceNames"> &names)
        : whole_(reader, unwinder, std::move(debuggers)), names_(names), stacks_(whole_, names_) {}

    [[nodiscard]] Stacks &stacks() { return stacks_; }
    [[nodiscard]] WholeStacks &whole() { return whole_; }
    [[nodiscard]] PythonNames &names() { return names_; }

private:
    PythonStacks whole_;
    PythonNames names_;
    Stacks stacks_;
};

void init_stacks(py::module_ &module);

}  // namespace gdb_ompd
