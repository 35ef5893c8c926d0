// SPDX-License-Identifier: Apache-2.0
// The one adapter between the core and a Target written in Python.
#pragma once

#include "base/target.hpp"
#include "bindings.hpp"

namespace gdb_ompd {

class PythonTarget final : public Target {
public:
    explicit PythonTarget(py::object object) : object_(std::move(object)) {}

    bool read_memory(TargetAddr address, std::span<std::byte> out) override;
    void write_memory(TargetAddr address, std::span<const std::byte> data) override;
    std::optional<TargetAddr> thread_pointer(ompd_thread_id_t kind,
                                             std::uint64_t thread_id) override;
    void print_string(std::string_view text, int category) override;

private:
    py::object object_;
};

// How many questions to the debugger are waiting for their answers.
int questions_under_way() noexcept;

}  // namespace gdb_ompd
